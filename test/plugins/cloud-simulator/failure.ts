import type { Simulator } from '../../../plugins/cloud-simulator/server/server.ts';

/** What an SDK client throws, with or without an answer. */
export interface Failure {
  name?: string;
  code?: string;
  message: string;
  $metadata?: { httpStatusCode?: number };
}

/** How a call failed; the message `none` when it did not. */
export async function failureOf(call: Promise<unknown>): Promise<Failure> {
  return call.then(
    () => ({ message: 'none' }),
    (error: Failure) => error,
  );
}

/** Until so many calls have reached the simulator. */
export async function seen(simulator: Simulator, calls = 1): Promise<void> {
  while (simulator.audit().length < calls) await new Promise((resolve) => setImmediate(resolve));
}
