/** What was acknowledged to one caller. */
export interface Deal {
  readonly request_id: string;
  readonly machine_count: number;
  readonly returned: Set<string>;
  readonly returns: string[];
  cancelled: boolean;
}

/** All that callers were told, and what in it was wrong. */
export class Book {
  readonly deals: Deal[] = [];
  readonly wrong: string[] = [];
  /** Under which X-Request-Id calls went that had no answer: the server was gone, or went. */
  readonly unanswered: string[] = [];
  /** Returns that hostile callers made, of machines that nobody has. */
  readonly beside = new Set<string>();
  /** Calls that were refused because the server did not keep up. */
  busy = 0;
  readonly #times = new Map<string, number[]>();

  took(name: string, ms: number): void {
    const times = this.#times.get(name);
    if (times) times.push(ms);
    else this.#times.set(name, [ms]);
  }

  /** What took how long until now does not count. */
  forgetTimes(): void {
    this.#times.clear();
  }

  get calls(): number {
    return [...this.#times.values()].reduce((sum, times) => sum + times.length, 0);
  }

  /** The longest of all but one in a hundred. */
  get p99(): number {
    return quantile([...this.#times.values()].flat(), 0.99);
  }

  /** Milliseconds by kind of call. */
  table(): string {
    const rows = [...this.#times].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return [...rows, ['all', [...this.#times.values()].flat()] as const]
      .map(
        ([name, times]) =>
          `${name.padEnd(24)} ${String(times.length).padStart(8)}  p50 ${shown(times, 0.5)}  p99 ${shown(times, 0.99)}  longest ${shown(times, 1)} ms`,
      )
      .join('\n');
  }
}

const shown = (times: readonly number[], share: number): string => quantile(times, share).toFixed(1).padStart(7);

function quantile(times: readonly number[], share: number): number {
  const sorted = Float64Array.from(times).toSorted();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
