import type { Family } from '../metrics/family.ts';

/** Milliseconds to wait for the answer of a worker. */
const answerMs = 5_000;

/** Reads the metrics of the broker's state from one worker, since the primary has no store of its own. */
export class StateReader {
  readonly #ask: () => boolean;
  readonly #waiting = new Set<(families: readonly Family[]) => void>();

  /** `ask`: asks any worker; false when none is there. */
  constructor(ask: () => boolean) {
    this.#ask = ask;
  }

  /** The metrics; none when no worker answers. */
  async read(): Promise<readonly Family[]> {
    if (!this.#ask()) return [];
    const { promise, resolve } = Promise.withResolvers<readonly Family[]>();
    this.#waiting.add(resolve);
    const timeout = setTimeout(() => resolve([]), answerMs);
    try {
      return await promise;
    } finally {
      clearTimeout(timeout);
      this.#waiting.delete(resolve);
    }
  }

  received(families: readonly Family[]): void {
    for (const resolve of this.#waiting) resolve(families);
  }
}
