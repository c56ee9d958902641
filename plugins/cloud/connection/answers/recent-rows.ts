/** A full scan comes each ten minutes. */
const restingMs = 700_000;
/** Machines that start or end are observed each few seconds, and their rows change once. */
const movingMs = 30_000;
/** With more rows, those are forgotten earlier that were in no recent answer. */
const most = 200_000;

/** Values that are forgotten when they were not asked for during `keptMs` milliseconds, or at most twice as long. */
class Generations {
  #recent = new Map<string, unknown>();
  #earlier = new Map<string, unknown>();
  #since = performance.now();
  readonly #keptMs: number;

  constructor(keptMs: number) {
    this.#keptMs = keptMs;
  }

  get(key: string): unknown {
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const earlier = this.#earlier.get(key);
    if (earlier === undefined) return undefined;
    this.#recent.set(key, earlier);
    this.#earlier.delete(key);
    return earlier;
  }

  set(key: string, value: unknown): void {
    this.#recent.set(key, value);
  }

  forget(): void {
    const now = performance.now();
    if (now - this.#since < this.#keptMs && this.#recent.size < most) return;
    this.#earlier = this.#recent;
    this.#recent = new Map();
    this.#since = now;
  }
}

/** What was read from the rows of the last answers, by the digests of their texts. */
export class RecentRows {
  readonly #resting = new Generations(restingMs);
  readonly #moving = new Generations(movingMs);

  get(digest: string): unknown {
    return this.#resting.get(digest) ?? this.#moving.get(digest);
  }

  set(digest: string, row: unknown, isAtRest: boolean): void {
    (isAtRest ? this.#resting : this.#moving).set(digest, row);
  }

  /** Forgets what was in no answer for long; to be called before each answer. */
  forget(): void {
    this.#resting.forget();
    this.#moving.forget();
  }
}
