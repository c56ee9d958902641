/** With more values in one generation, those of the one before are forgotten earlier. */
const most = 200_000;

/** Values that are forgotten when they were not asked for during `keptMs` milliseconds, or at most twice as long. */
export class Generations {
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

  /** To be called now and then: forgets the values whose time is over. */
  forget(): void {
    const now = performance.now();
    if (now - this.#since < this.#keptMs && this.#recent.size < most) return;
    this.#earlier = this.#recent;
    this.#recent = new Map();
    this.#since = now;
  }
}
