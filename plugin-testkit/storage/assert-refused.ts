import assert from 'node:assert/strict';
import { isBrokerError, type Code } from '../../core/index.ts';

/** Fails unless the promise is rejected with a BrokerError of this code. */
export async function assertRefused(promise: Promise<unknown>, code: Code): Promise<void> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(
    isBrokerError(error),
    `It must be refused with ${code}; it ${error === undefined ? 'was not' : `threw ${String(error)}`}.`,
  );
  assert.equal(error.code, code);
}
