import type { Report } from './play.ts';

/** What was met in all plays of a campaign. */
export class Tally {
  plays = 0;
  kills = 0;
  readonly #places = new Map<string, number>();
  readonly #calls = new Set<number>();

  add({ kills }: Report): void {
    this.plays += 1;
    this.kills += kills.length;
    for (const kill of kills) {
      // Which call it was is counted apart: here it is what was called.
      const call = /, call (\d+)$/.exec(kill);
      if (call) this.#calls.add(Number(call[1]));
      const [place = '', ...circumstances] = kill
        .replace(/, call \d+$/, '')
        .replace(/commit \d+/, 'a commit')
        .replace(/broker-\d+/, 'a broker')
        .split(', its ');
      for (const each of [place, ...circumstances.map((more) => `… its ${more}`)])
        this.#places.set(each, (this.#places.get(each) ?? 0) + 1);
    }
  }

  /** Where it was killed and how often, the most frequent first. */
  table(): string {
    const rows = [...this.#places]
      .toSorted(([, a], [, b]) => b - a)
      .map(([place, count]) => `${String(count).padStart(6)}  ${place}`);
    const calls = this.#calls.size === 0 ? [] : [`different calls, by their number in a play: ${this.#calls.size}`];
    return [...rows, ...calls].join('\n');
  }
}
