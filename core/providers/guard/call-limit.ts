/** How much longer to wait for a plugin that ignores its signal, in milliseconds. */
const graceMs = 2_000;

/** The limit of the time of one call. It must be disposed of when the call has ended. */
export interface CallLimit extends Disposable {
  /** Aborts at the time-out, or with the signal that was given. */
  readonly signal: AbortSignal;
  /** Resolves two seconds after the signal aborted, unless the limit was disposed of. */
  readonly exceeded: Promise<void>;
}

/**
 * Limits a call by a signal and by a time in milliseconds. Many calls share the signal of a loop, so nothing of an
 * ended call stays with it. A time-out alone does not keep the process alive.
 */
export function callLimit(given: AbortSignal, timeout_ms: number): CallLimit {
  const calling = new AbortController();
  const { promise, resolve } = Promise.withResolvers<void>();
  let grace: NodeJS.Timeout | undefined;
  const stop = (reason: unknown): void => {
    if (calling.signal.aborted) return;
    grace = setTimeout(resolve, graceMs);
    calling.abort(reason);
  };
  const follow = (): void => stop(given.reason);
  const timer = setTimeout(() => stop(new DOMException('The call timed out.', 'TimeoutError')), timeout_ms).unref();
  if (given.aborted) follow();
  else given.addEventListener('abort', follow, { once: true });
  return {
    signal: calling.signal,
    exceeded: promise,
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      clearTimeout(grace);
      given.removeEventListener('abort', follow);
    },
  };
}
