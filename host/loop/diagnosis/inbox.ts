/**
 * Keeps what interrupts deliver until a reader takes it. Node calls the listeners of an inspector session in the
 * middle of any JavaScript of its thread, also while Node itself changes its lists of timers: a listener that sets or
 * clears a timer would destroy them. `put` calls nothing of Node and may be called there; the reader runs in a turn of
 * its own.
 */
export class Inbox<T> {
  readonly #kept: T[] = [];
  #wake: () => void = () => undefined;

  put(item: T): void {
    this.#kept.push(item);
    this.#wake();
  }

  /** Resolves with the oldest item, when there is one. For one reader. */
  async take(): Promise<T> {
    while (this.#kept.length === 0)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        // It may have come after the reader looked.
        if (this.#kept.length > 0) resolve();
      });
    return this.#kept.shift() as T;
  }
}
