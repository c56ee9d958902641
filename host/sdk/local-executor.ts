import { jsonFingerprint } from '../../core/model/ids.ts';
import type { Operation } from '../../core/operations/operation.ts';
import { readInput } from '../../core/operations/read-input.ts';
import type { Broker } from '../compose.ts';
import { asSdkError } from './errors.ts';
import type { CallOptions } from './methods.ts';

/** Carries calls out in a broker of this process, in our own words whatever the scheduler. */
export function localExecutor({ services, rendering }: Broker) {
  return async (
    operation: Operation<any, any>,
    raw: unknown,
    { idempotency_key: key, signal }: CallOptions,
  ): Promise<unknown> => {
    try {
      signal?.throwIfAborted();
      const input = readInput(operation, raw);
      const caller = {
        owner: true,
        ...(key === undefined ? {} : { key: { scope: operation.name, key, fingerprint: jsonFingerprint(input) } }),
      };
      return await rendering.value(operation, await operation.handle(input as never, services, caller), rendering.own);
    } catch (error) {
      throw signal?.aborted ? signal.reason : asSdkError(error);
    }
  };
}
