import type { Family, Sample } from './family.ts';

export interface DurationsOptions {
  /** Ends in `_seconds`. */
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of the buckets in seconds, rising. */
  readonly bounds: readonly number[];
  /** Maximum number of label combinations; further ones count as `other`. Default 1 000. */
  readonly most?: number;
  /** Maximum number of combinations with the same first label; of further ones the others are `other`. Default: all. */
  readonly mostOfFirst?: number;
}

/** The histogram of one combination of labels. Counting is one addition to one bucket. */
export class Timing {
  readonly #bounds: readonly number[];
  /** Counts by bucket, not cumulative; the last bucket has no bound. */
  readonly counts: number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  add(ms: number): void {
    const seconds = ms / 1000;
    let bucket = 0;
    while (bucket < this.#bounds.length && seconds > (this.#bounds[bucket] as number)) bucket += 1;
    this.counts[bucket] = (this.counts[bucket] as number) + 1;
    this.sum += seconds;
  }
}

/** Durations as histograms by labels. Callers should keep the result of `of` for frequent use. */
export class Durations {
  readonly #about: DurationsOptions;
  readonly #timings = new Map<string, { readonly values: readonly string[]; readonly timing: Timing }>();
  readonly #ofFirst = new Map<string, number>();

  constructor(about: DurationsOptions) {
    this.#about = about;
  }

  of(...values: readonly string[]): Timing {
    const key = values.join('\u0000');
    const known = this.#timings.get(key);
    if (known) return known.timing;
    const { most = 1_000, mostOfFirst = most, labels, bounds } = this.#about;
    const [first = '', ...rest] = values;
    const ofFirst = this.#ofFirst.get(first) ?? 0;
    if (ofFirst >= mostOfFirst && rest.some((value) => value !== other))
      return this.of(first, ...rest.map(() => other));
    if (this.#timings.size >= most && values.some((value) => value !== other))
      return this.of(...labels.map(() => other));
    const timing = new Timing(bounds);
    this.#timings.set(key, { values, timing });
    this.#ofFirst.set(first, ofFirst + 1);
    return timing;
  }

  /** The histograms with the values of their labels. */
  entries(): readonly { readonly values: readonly string[]; readonly timing: Timing }[] {
    return [...this.#timings.values()];
  }

  family(): Family {
    const { name, help } = this.#about;
    const values = [...this.#timings.values()].flatMap(({ values, timing }) => this.#samples(values, timing));
    return { name, help, type: 'histogram', aggregator: 'sum', values };
  }

  #samples(values: readonly string[], { counts, sum }: Timing): Sample[] {
    const { name, labels: names, bounds } = this.#about;
    const labels = Object.fromEntries(names.map((label, index) => [label, values[index] ?? '']));
    let count = 0;
    const buckets = counts.map((each, index) => {
      count += each;
      return { metricName: `${name}_bucket`, labels: { ...labels, le: bounds[index] ?? '+Inf' }, value: count };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }
}

const other = 'other';
