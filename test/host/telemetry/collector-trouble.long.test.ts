import test, { type ExecutionContext } from 'ava';
import type { Log } from '../../../core/contract/log.ts';
import { otlpReceiver, type Behavior } from '../../support/otlp/receiver.ts';
import { trace_id, tracedAt, tracedBroker } from '../../support/otlp/traced-broker.ts';
import { traceText } from '../../support/otlp/trace-text.ts';
import { until } from '../../support/boot-broker.ts';

interface Line {
  readonly level: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

function keptLog(): { readonly log: Log; readonly lines: Line[] } {
  const lines: Line[] = [];
  const write = (level: string) => (fields: Readonly<Record<string, unknown>>, message: string) =>
    void lines.push({ level, fields, message });
  return { lines, log: { debug: () => {}, info: write('info'), warn: write('warn'), error: write('error') } };
}

async function provisionedWhile(t: ExecutionContext, behavior: Behavior, env: Record<string, string> = {}) {
  const receiver = await otlpReceiver();
  t.teardown(() => receiver.close());
  receiver.behavior = behavior;
  const { log, lines } = keptLog();
  const fast = { OTEL_BSP_SCHEDULE_DELAY: '20', OTEL_EXPORTER_OTLP_TIMEOUT: '300', OTEL_METRICS_EXPORTER: 'none' };
  const broker = await tracedAt(t, receiver, { log, env: { ...fast, ...env } });
  for (let i = 0; i < 3; i++) await broker.provision('small', 1);
  return { receiver, broker, lines: () => lines.filter(({ level }) => level === 'warn' || level === 'error') };
}

const faulty: Readonly<Record<string, Behavior>> = {
  'answers 500': { status: 500 },
  'refuses the credentials': { status: 401 },
  'answers late': { status: 503, after_ms: 200 },
  'never answers': 'hang',
};

for (const [what, behavior] of Object.entries(faulty))
  test(`a collector that ${what} costs one line in the log, and the server stops within its bound`, async (t) => {
    const { receiver, broker, lines } = await provisionedWhile(t, behavior);
    await until(async () => lines().length > 0);
    t.true(receiver.calls.length > 0);
    const began = performance.now();
    await broker.close();
    t.true(performance.now() - began < 10_000);
    t.is(lines().length, 1, JSON.stringify(lines()));
    t.regex(lines()[0]?.message ?? '', /^The collector did not take traces; \d+ spans are lost: /);
  });

test('a collector that is down loses spans and nothing else; one that comes back gets the spans since', async (t) => {
  const gone = await otlpReceiver();
  const port = Number(new URL(gone.url).port);
  await gone.close();
  const { log, lines } = keptLog();
  const env = { OTEL_BSP_SCHEDULE_DELAY: '20', OTEL_EXPORTER_OTLP_TIMEOUT: '300', OTEL_METRICS_EXPORTER: 'none' };
  const broker = await tracedAt(t, gone, { log, env });
  await broker.provision('small', 1);
  await until(async () => lines.some(({ message }) => message.includes('did not take traces')));
  const back = await otlpReceiver(port);
  t.teardown(() => back.close());
  await broker.provision('small', 1);
  await until(async () => lines.some(({ message }) => message === 'The collector takes traces again.'));
  await broker.close();
  t.true(traceText(back.spans, trace_id).includes('RunInstances'));
});

test('a thread that exports and falls behind gets no more spans than it can hold', async (t) => {
  const { log, lines } = keptLog();
  const broker = await tracedBroker(t, { log, env: { OTEL_METRICS_EXPORTER: 'none' } });
  const { tracer } = broker.broker;
  // In one turn of the event loop: no acknowledgement can arrive.
  for (let i = 0; i < 50_000; i++) tracer.start('burst').end();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 200_000; i++) tracer.start('burst').end();
  t.true(process.memoryUsage().heapUsed - before < 150_000_000);
  await until(async () => lines.some(({ message }) => message.startsWith('More spans end than can be exported')));
  await broker.close();
  const taken = broker.receiver.spans.filter(({ name }) => name === 'burst').length;
  t.true(taken < 10_000, String(taken));
  t.is(lines.filter(({ message }) => message.startsWith('More spans')).length, 1);
});
