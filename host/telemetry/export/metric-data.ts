import { ValueType, type Attributes, type HrTime } from '@opentelemetry/api';
import {
  AggregationTemporality,
  DataPointType,
  type DataPoint,
  type Histogram,
  type MetricData,
} from '@opentelemetry/sdk-metrics';
import type { Family, Sample } from '../../metrics/family.ts';

interface Times {
  /** Epoch milliseconds since which counters count, and at which they were read. */
  readonly began: number;
  readonly now: number;
}

/** Converts metric families to the model of OpenTelemetry. Names and labels stay those of `/metrics`. */
export function metricData(families: readonly Family[], { began, now }: Times): MetricData[] {
  const times = { startTime: hrTime(began), endTime: hrTime(now) };
  return families.flatMap((family): MetricData[] => {
    if (family.values.length === 0) return [];
    const { name, help, type } = family;
    const common = {
      descriptor: { name, description: help, unit: unitOf(name), valueType: ValueType.DOUBLE },
      aggregationTemporality: AggregationTemporality.CUMULATIVE,
    };
    const points = (): DataPoint<number>[] =>
      family.values.map(({ labels, value }) => ({ ...times, attributes: attributesOf(labels), value }));
    if (type === 'gauge') return [{ ...common, dataPointType: DataPointType.GAUGE, dataPoints: points() }];
    if (type === 'counter')
      return [{ ...common, dataPointType: DataPointType.SUM, dataPoints: points(), isMonotonic: true }];
    const dataPoints = histograms(family).map((each) => ({ ...times, ...each }));
    return [{ ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints }];
  });
}

/** The unit in the suffix of a name, in the spelling of UCUM. */
const unitOf = (name: string): string =>
  /_seconds(_total)?$/.test(name) ? 's' : /_bytes(_total)?$/.test(name) ? 'By' : '';

const hrTime = (ms: number): HrTime => [Math.trunc(ms / 1_000), Math.round((ms % 1_000) * 1e6)];

const attributesOf = (labels: Sample['labels']): Attributes =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]));

/** The parts of the histograms of one family, put together by their labels. */
function histograms({ name, values }: Family): { readonly attributes: Attributes; readonly value: Histogram }[] {
  const byLabels = Map.groupBy(values, ({ labels }) => JSON.stringify({ ...labels, le: undefined }));
  return [...byLabels].map(([labels, samples]) => {
    const total = (suffix: string): number =>
      samples.find((each) => each.metricName === `${name}${suffix}`)?.value ?? 0;
    const buckets = samples
      .filter((each) => each.metricName === `${name}_bucket`)
      .map(({ labels: { le = '+Inf' }, value }) => ({ bound: le === '+Inf' ? Infinity : Number(le), value }))
      .toSorted((a, b) => a.bound - b.bound);
    const count = total('_count');
    // Those of Prometheus are cumulative; the last one has no bound.
    const counts = buckets.map(({ value }, index) => value - (buckets[index - 1]?.value ?? 0));
    return {
      attributes: JSON.parse(labels) as Attributes,
      value: {
        buckets: { boundaries: buckets.slice(0, -1).map(({ bound }) => bound), counts },
        sum: total('_sum'),
        count,
      },
    };
  });
}
