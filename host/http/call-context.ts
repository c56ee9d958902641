import { AsyncLocalStorage } from 'node:async_hooks';

const context = new AsyncLocalStorage<string>();

/** Runs what belongs to a call: all that it starts, also later, knows the call's X-Request-Id. */
export const inCall = (x_request_id: string, run: () => void): void => context.run(x_request_id, run);

/** The X-Request-Id of the call that is being served; undefined outside of calls. */
export const callId = (): string | undefined => context.getStore();
