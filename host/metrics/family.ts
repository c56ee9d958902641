/**
 * A metric family as a scrape shows it. Plain data, so that it can be sent between threads and processes, in the shape
 * that prom-client reads.
 */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Samples with equal labels of several threads and processes are added up. */
  readonly aggregator: 'sum';
  readonly values: readonly Sample[];
}

export interface Sample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  /** The name of a part of a histogram. */
  readonly metricName?: string;
}

type Labels = Sample['labels'];

export function gauge(name: string, help: string, values: readonly (readonly [Labels, number])[]): Family {
  return {
    name,
    help,
    type: 'gauge',
    aggregator: 'sum',
    values: values.map(([labels, value]) => ({ labels, value })),
  };
}

export function counter(name: string, help: string, values: readonly (readonly [Labels, number])[]): Family {
  return { ...gauge(name, help, values), type: 'counter' };
}

/**
 * Adds the last metrics of an ended thread or process (`left`) to the totals of earlier ones: counters must not
 * decrease when a process ends. Gauges, and counters of one process (`process_…`), end with it.
 */
export function accumulate(before: readonly Family[], left: readonly Family[]): readonly Family[] {
  const families = new Map(before.map((family) => [family.name, family]));
  for (const family of left) {
    if (family.type === 'gauge' || family.name.startsWith('process_')) continue;
    families.set(family.name, { ...family, values: added(families.get(family.name)?.values ?? [], family.values) });
  }
  return [...families.values()];
}

function added(some: readonly Sample[], more: readonly Sample[]): readonly Sample[] {
  const samples = new Map(some.map((sample) => [keyOf(sample), sample]));
  for (const sample of more) {
    const key = keyOf(sample);
    samples.set(key, { ...sample, value: sample.value + (samples.get(key)?.value ?? 0) });
  }
  return [...samples.values()];
}

const keyOf = ({ metricName, labels }: Sample): string => JSON.stringify([metricName, Object.entries(labels)]);
