/**
 * Numbers of one name as a scrape shows them. Plain, so that they cross threads and processes, and in the shape that
 * prom-client reads.
 */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Equal labels of several threads and processes are added up. */
  readonly aggregator: 'sum';
  readonly values: readonly Sample[];
}

export interface Sample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  /** For the parts of a histogram. */
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
 * What a thread or process that ended had counted, added to what others before it had: sums must not fall because
 * somebody left. Gauges, and counters of one process (`process_…`), end with it. /
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
