import { AsyncLocalStorage } from 'node:async_hooks';

const context = new AsyncLocalStorage<string>();

/**
 * Runs the code of a call. `callId` returns the X-Request-Id of the call in all code that `run` starts, also
 * asynchronously.
 */
export const inCall = (x_request_id: string, run: () => void): void => context.run(x_request_id, run);

/** Returns the X-Request-Id of the current call; undefined outside of calls. */
export const callId = (): string | undefined => context.getStore();
