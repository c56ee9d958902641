import { BrokerError } from '../../../core/contract/errors.ts';
import { jsonFingerprint } from '../../../core/model/ids.ts';
import type { Caller } from '../../../core/operations/operation.ts';
import { isHeaderText } from './header-text.ts';

const anonymous: Caller = {};

/**
 * Returns the caller with the idempotency key of the Idempotency-Key header. Throws INVALID_REQUEST for a malformed
 * key.
 */
export function callerOf(header: string | readonly string[] | undefined, scope: string, input: unknown): Caller {
  if (header === undefined) return anonymous;
  if (!isHeaderText(header)) {
    throw new BrokerError(
      'INVALID_REQUEST',
      'Idempotency-Key: must be 1 to 255 visible ASCII characters, without spaces.',
    );
  }
  return { key: { scope, key: header, fingerprint: jsonFingerprint(input) } };
}
