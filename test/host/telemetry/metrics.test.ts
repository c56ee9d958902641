import test from 'ava';
import { bootBroker, until } from '../../support/boot-broker.ts';
import { otlpReceiver } from '../../support/otlp/receiver.ts';
import { tracedBroker } from '../../support/otlp/traced-broker.ts';
import { metricData } from '../../../host/telemetry/export/metric-data.ts';

/** The samples of the text format of Prometheus: `name{labels}` → value. */
const samplesOf = (text: string): Map<string, number> =>
  new Map(
    text.split('\n').flatMap((line): [string, number][] => {
      const [, name, value] = /^(\w+(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, Number(value)]];
    }),
  );

const labelled = (name: string, attributes: object): string => {
  const labels = Object.entries(attributes).map(([key, value]) => `${key}="${value}"`);
  return labels.length === 0 ? name : `${name}{${labels.join(',')}}`;
};

for (const protocol of ['http/protobuf', 'http/json'])
  test(`a collector gets the metrics that /metrics shows, by ${protocol}`, async (t) => {
    const broker = await tracedBroker(t, {
      loop: 'thread',
      env: { OTEL_EXPORTER_OTLP_PROTOCOL: protocol, OTEL_TRACES_EXPORTER: 'none', OTEL_METRIC_EXPORT_INTERVAL: '300' },
    });
    await broker.provision('small', 2);
    const shown = samplesOf((await broker.app.inject('/metrics')).body);
    const before = broker.receiver.calls.length;
    // The export after the next one began after the scrape.
    await until(async () => broker.receiver.calls.length >= before + 2);
    const { metrics, calls, spans } = broker.receiver;
    t.deepEqual(spans, []);
    t.true(calls.every(({ path }) => path === '/v1/metrics'));
    const names = new Set(
      [...shown.keys()].map((name) => name.replace(/\{.*/, '').replace(/_(bucket|sum|count)$/, '')),
    );
    const sent = new Set(metrics.map(({ name }) => name.replace(/_(sum|count)$/, '')));
    for (const name of names) t.true(sent.has(name), name);
    const valueOf = (name: string, attributes: object = {}) =>
      metrics
        .find((each) => each.name === name)
        ?.points.find((point) => labelled('', point.attributes) === labelled('', attributes))?.value;
    for (const status of ['running', 'pending', 'terminated'])
      t.is(valueOf('muster_machines', { status }), shown.get(`muster_machines{status="${status}"}`), status);
    t.is(valueOf('muster_requests', { status: 'completed' }), 1);
    const durations = metrics.find(({ name }) => name === 'muster_http_request_duration_seconds');
    t.like(durations, { type: 'histogram', unit: 's' });
    for (const { attributes, value, buckets = [], bounds = [] } of durations?.points ?? []) {
      t.is(buckets.length, bounds.length + 1);
      t.is(
        buckets.reduce((sum, each) => sum + each, 0),
        value,
      );
      // Calls that were answered after the scrape only add.
      t.true(value >= (shown.get(labelled('muster_http_request_duration_seconds_count', attributes)) ?? 0));
    }
    t.like(
      metrics.find(({ name }) => name === 'process_cpu_seconds_total'),
      { type: 'sum', unit: 's' },
    );
  });

test('metrics are exported again and again, at their interval', async (t) => {
  const receiver = await otlpReceiver();
  t.teardown(() => receiver.close());
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_METRIC_EXPORT_INTERVAL: '100',
    OTEL_TRACES_EXPORTER: 'none',
  };
  const broker = await bootBroker({ env, storage: 'memory' });
  t.teardown(() => broker.close());
  await until(async () => receiver.calls.length >= 3);
  t.true(receiver.metrics.some(({ name }) => name === 'muster_build_info'));
});

test('a histogram of several label sets becomes one of points with counts of their own', (t) => {
  const name = 'x_seconds';
  const part = (suffix: string, labels: Record<string, string>, value: number) => ({
    metricName: `${name}${suffix}`,
    labels,
    value,
  });
  const of = (verb: string, counts: readonly number[]) => [
    ...counts.map((count, index) => part('_bucket', { verb, le: ['0.1', '1', '+Inf'][index] ?? '' }, count)),
    part('_sum', { verb }, 7),
    part('_count', { verb }, counts.at(-1) ?? 0),
  ];
  const [data] = metricData(
    [{ name, help: '', type: 'histogram', aggregator: 'sum', values: [...of('a', [1, 3, 6]), ...of('b', [0, 0, 2])] }],
    { began: 1_000, now: 2_500 },
  );
  t.deepEqual(
    data?.dataPoints.map(({ attributes, value }) => [attributes, value]),
    [
      [{ verb: 'a' }, { buckets: { boundaries: [0.1, 1], counts: [1, 2, 3] }, sum: 7, count: 6 }],
      [{ verb: 'b' }, { buckets: { boundaries: [0.1, 1], counts: [0, 0, 2] }, sum: 7, count: 2 }],
    ] as never,
  );
  t.deepEqual(data?.dataPoints[0]?.startTime, [1, 0]);
  t.deepEqual(data?.dataPoints[0]?.endTime, [2, 500_000_000]);
});
