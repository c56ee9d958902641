import type { Clock } from '../../core/contract/clock.ts';

/** How long one turn takes at most, in milliseconds, besides the work that ends it. */
const turnMs = 1;

/**
 * Work of a thread that may wait, such as writes to streams. It runs in the order of its arrival, in short turns, and
 * the other work of the thread runs between two turns: however many streams there are and however much each of them
 * has to take, a call waits for one turn at a time.
 */
export class Turns {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** In the order of arrival; a function that waits already is not added again. */
  readonly #waiting = new Set<() => void>();
  #planned = false;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Runs `work`, which must not throw, in a later turn; once, however often it is added before it runs. */
  add(work: () => void): void {
    this.#waiting.add(work);
    this.#plan();
  }

  /** Runs `each` for all items in turns, and resolves when it ran for the last one. */
  each<T>(items: Iterable<T>, each: (item: T) => void): Promise<void> {
    return new Promise((resolve) => {
      for (const item of items) this.add(() => each(item));
      this.add(resolve);
    });
  }

  #plan(): void {
    if (this.#planned || this.#waiting.size === 0) return;
    this.#planned = true;
    setImmediate(this.#turn);
  }

  readonly #turn = (): void => {
    this.#planned = false;
    const until = this.#clock.monotonic() + turnMs;
    for (const work of this.#waiting) {
      this.#waiting.delete(work);
      work();
      if (this.#clock.monotonic() >= until) break;
    }
    this.#plan();
  };
}
