export interface Interruption extends Disposable {
  /** Aborted at SIGINT (Ctrl-C) or SIGTERM. */
  readonly signal: AbortSignal;
}

/**
 * Turns the first SIGINT or SIGTERM into an abort, so that the command can close open resources. A second signal ends
 * the process.
 */
export function interruption(): Interruption {
  const controller = new AbortController();
  const stop = () => controller.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => void process.off('SIGINT', stop).off('SIGTERM', stop),
  };
}
