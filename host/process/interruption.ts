export interface Interruption extends Disposable {
  /** Aborted when somebody presses Ctrl-C, or asks the process to end. */
  readonly signal: AbortSignal;
}

/** Turns signals into an abort, so that what is open can be closed. A second one ends the process as usual. */
export function interruption(): Interruption {
  const controller = new AbortController();
  const stop = () => controller.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => void process.off('SIGINT', stop).off('SIGTERM', stop),
  };
}
