import test, { type ExecutionContext } from 'ava';
import { bootBroker, type BootedBroker } from '../support/boot-broker.ts';
import { Durations } from '../../host/metrics/durations.ts';
import { accumulate, counter, gauge } from '../../host/metrics/family.ts';
import { exposition } from '../../host/rest/routes/metrics-route.ts';

async function scrape(t: ExecutionContext, { app }: BootedBroker): Promise<Map<string, number>> {
  const answer = await app.inject('/metrics');
  t.is(answer.statusCode, 200);
  t.regex(String(answer.headers['content-type']), /^text\/plain; version=0\.0\.4/);
  const lines = answer.body.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const wrong = lines.filter((line) => !/^[a-z_]+(\{([a-z_]+="[^"]*",?)*\})? [-+\d.e]+$/i.test(line));
  t.deepEqual(wrong, []);
  const pairs = lines.map((line): [string, number] => [
    line.slice(0, line.lastIndexOf(' ')),
    Number(line.slice(line.lastIndexOf(' ') + 1)),
  ]);
  t.is(new Set(pairs.map(([name]) => name)).size, pairs.length, 'every line stands once');
  return new Map(pairs);
}

async function finished(broker: BootedBroker, path: string): Promise<void> {
  await broker.until(async () => (await broker.call('GET', path)).body.status === 'completed');
}

for (const loop of ['inline', 'thread'] as const) {
  test(`requests, machines, calls and provider calls are counted, with the loop ${loop}`, async (t) => {
    const broker = await bootBroker({ loop, configuration: { server: { rate_limit: { enabled: false } } } });
    t.teardown(() => broker.close());
    broker.simulator.setKnobs({ throttle: { next: [{ action: 'RunInstances', times: 1 }] } });
    const { body } = await broker.call('POST', '/machines/request', { template_id: 'small', machine_count: 2 });
    await finished(broker, `/requests/${body.request_id}`);
    await broker.call('GET', '/templates/no-such-template');
    await broker.app.inject({ method: 'GET', url: '/nowhere/4711' });
    await broker.app.inject({ method: 'HEAD', url: '/api/v1/templates/small' });
    const seen = await scrape(t, broker);
    t.like(Object.fromEntries(seen), {
      'muster_requests{status="completed"}': 1,
      'muster_requests{status="pending"}': 0,
      'muster_machines{status="running"}': 2,
      muster_templates: 3,
      'muster_template_machines{template_id="small"}': 2,
      'muster_template_machines{template_id="fleet"}': 0,
      'muster_requests_ended_total{template_id="small",status="completed"}': 1,
      'muster_machines_delivered_total{template_id="small"}': 2,
      'muster_machines_missing_total{template_id="small"}': 0,
      'muster_request_delivery_seconds_count{template_id="small"}': 1,
      'muster_provider_healthy{provider_instance="east"}': 1,
      'muster_http_request_duration_seconds_count{method="POST",route="/api/v1/machines/request",status="200"}': 1,
      'muster_http_request_duration_seconds_count{method="GET",route="/api/v1/templates/{template_id}",status="404"}': 1,
      'muster_http_request_duration_seconds_count{method="HEAD",route="/api/v1/templates/{template_id}",status="200"}': 1,
      'muster_http_request_duration_seconds_count{method="GET",route="unmatched",status="404"}': 1,
      'muster_provider_call_duration_seconds_count{provider_instance="east",action="RunInstances",outcome="ok"}': 1,
      'muster_provider_call_duration_seconds_count{provider_instance="east",action="RunInstances",outcome="throttled"}': 1,
      'muster_provider_call_duration_seconds_count{provider_instance="east",action="GetCallerIdentity",outcome="ok"}': 1,
      'muster_plugin_call_duration_seconds_count{provider_instance="east",verb="launch",outcome="ok"}': 1,
      'muster_plugin_call_duration_seconds_count{provider_instance="east",verb="launch",outcome="throttled"}': 1,
    });
    t.false(
      [...seen.keys()].some(
        (name) => name.includes('4711') || name.includes('no-such-template') || name.includes(body.request_id),
      ),
    );
    t.true((seen.get('process_resident_memory_bytes{worker="0"}') ?? 0) > 10_000_000);
    t.true(seen.has('muster_event_loop_delay_seconds{thread="http",worker="0",quantile="0.99"}'));
    t.is(seen.has('muster_event_loop_delay_seconds{thread="loop",worker="0",quantile="0.99"}'), loop === 'thread');
    t.is(
      seen.get(
        'muster_http_request_duration_seconds_bucket{method="POST",route="/api/v1/machines/request",status="200",le="+Inf"}',
      ),
      1,
    );
  });
}

test('an offer without capacity and an unhealthy instance show', async (t) => {
  const broker = await bootBroker({ knobs: { capacity: [{ instance_type: '*', zone: '*', market: '*', count: 0 }] } });
  t.teardown(() => broker.close());
  const { body } = await broker.call('POST', '/machines/request', { template_id: 'small', machine_count: 1 });
  await broker.until(async () => (await broker.call('GET', `/requests/${body.request_id}`)).body.status === 'failed');
  const seen = await scrape(t, broker);
  t.is(seen.get('muster_offers_without_capacity{provider_instance="east"}'), 1);
  t.is(seen.get('muster_requests{status="failed"}'), 1);
});

test('a histogram counts each duration in every bucket that holds it, and labels beyond the bound as other', async (t) => {
  const durations = new Durations({ name: 'd_seconds', help: 'd', labels: ['a'], bounds: [0.1, 1], most: 2 });
  for (const ms of [100, 500, 3_000]) durations.of('x').add(ms);
  for (const label of ['y', 'z', 'w']) durations.of(label).add(1);
  const { text } = await exposition([[durations.family()]]);
  t.deepEqual(
    text.split('\n').filter((line) => line.includes('a="x"')),
    [
      'd_seconds_bucket{a="x",le="0.1"} 1',
      'd_seconds_bucket{a="x",le="1"} 2',
      'd_seconds_bucket{a="x",le="+Inf"} 3',
      'd_seconds_sum{a="x"} 3.6',
      'd_seconds_count{a="x"} 3',
    ],
  );
  t.true(text.includes('d_seconds_count{a="other"} 2'));
  t.false(text.includes('a="z"'));
});

test('one label with many values takes no series from the others', (t) => {
  const durations = new Durations({ name: 'd', help: 'd', labels: ['a', 'b'], bounds: [1], most: 10, mostOfFirst: 3 });
  for (let n = 0; n < 50; n += 1) durations.of('greedy', `b${n}`).add(1);
  durations.of('modest', 'b').add(1);
  t.deepEqual(
    durations.entries().map(({ values, timing }) => [values.join(' '), timing.counts[0]]),
    [
      ['greedy b0', 1],
      ['greedy b1', 1],
      ['greedy b2', 1],
      ['greedy other', 47],
      ['modest b', 1],
    ],
  );
});

test('counters keep the sum of a process that ended; its gauges disappear', async (t) => {
  const left = [
    counter('n_total', 'n', [[{ a: '1' }, 5]]),
    gauge('g', 'g', [[{}, 7]]),
    counter('process_cpu_seconds_total', 'c', [[{}, 9]]),
  ];
  const gone = accumulate(accumulate([], left), [
    counter('n_total', 'n', [
      [{ a: '1' }, 2],
      [{ a: '2' }, 1],
    ]),
  ]);
  const { text } = await exposition([gone, [counter('n_total', 'n', [[{ a: '1' }, 10]])]]);
  t.deepEqual(
    text.split('\n').filter((line) => line !== '' && !line.startsWith('#')),
    ['n_total{a="1"} 17', 'n_total{a="2"} 1'],
  );
});

test('concurrent scrapes share one result: their cost does not grow with their number', async (t) => {
  const broker = await bootBroker({ loop: 'none' });
  t.teardown(() => broker.close());
  let asked = 0;
  const measures = broker.broker.measures.bind(broker.broker);
  Object.assign(broker.broker, { measures: () => ((asked += 1), measures()) });
  const scrapes = await Promise.all(Array.from({ length: 50 }, () => broker.app.inject('/metrics')));
  for (const { statusCode, body } of scrapes) t.deepEqual([statusCode, body], [200, scrapes[0]?.body]);
  t.true(asked < 5, String(asked));
  await scrape(t, broker);
  t.true(asked > 1, 'a later one is made anew');
});
