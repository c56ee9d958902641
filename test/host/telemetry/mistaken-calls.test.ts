import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { silentLog, type Log } from '../../../core/contract/log.ts';
import { only, tracedBroker } from '../../support/otlp/traced-broker.ts';
import { mistakes } from './mistaken-calls.ts';

/** What the warnings of a broker say. */
function keptWarnings() {
  const warnings: string[] = [];
  const log: Log = { ...silentLog, warn: (_, text) => void warnings.push(text) };
  return { log, warnings };
}

/** Serves one request for a template whose launch records some of the mistakes, and stops. */
async function served(t: ExecutionContext, records: readonly string[]) {
  const { log, warnings } = keptWarnings();
  const broker = await tracedBroker(t, {
    storage: 'memory',
    log,
    templates: [{ template_id: 'one', records }],
    configuration: {
      plugins: [join(import.meta.dirname, 'mistaken-calls.ts'), 'default-format', 'storage-memory'],
      providers: [{ name: 'wrong', type: 'mistaken', config: {} }],
    },
  });
  const request_id = await broker.provision('one', 1);
  const { status } = (await broker.call('GET', `/requests/${request_id}/status`)).body;
  const metrics = (await broker.app.inject({ url: '/metrics' })).body;
  const summary = (await broker.call('GET', '/providers/metrics')).body.providers[0];
  const spans = await broker.stopped();
  const sums = [...metrics.matchAll(/^muster_provider_call_duration_seconds_sum\{.*action="(.*?)".*\} (.*)$/gm)];
  return {
    status,
    spans,
    summary,
    warnings: warnings.filter((each) => each.includes('is not counted')),
    sums: Object.fromEntries(sums.map(([, action = '', sum]) => [action.slice(0, 20), Number(sum)])),
  };
}

/** The names below a launch, with their duration in ms. */
const below = (spans: Awaited<ReturnType<typeof served>>['spans']) => {
  const launch = only(spans, 'launch');
  return Object.fromEntries(
    spans
      .filter(({ parent_id }) => parent_id === launch.span_id)
      .map(({ name, start, end }) => [name.slice(0, 20), Math.round(end - start)]),
  );
};

const counted = ['number-as-code', 'set-back', 'long-action'];

test('calls that a plugin records by mistake fail nothing, are in no sum, and cost the trace nothing', async (t) => {
  const uncounted = Object.keys(mistakes).filter((name) => !counted.includes(name));
  const { status, spans, sums, summary, warnings } = await served(t, uncounted);
  t.is(status, 'completed');
  t.deepEqual(below(spans), { Start: 2 });
  t.deepEqual(sums, { Start: 0.002 });
  t.is(summary.calls, 1);
  t.is(warnings.length, 1);
  t.true(['POST /api/v1/machines/request', 'request', 'attempt'].every((each) => only(spans, each)));
});

test('a recorded call with a clock that was set back, a code that is no text, or a long name is counted', async (t) => {
  const { status, spans, sums, warnings } = await served(t, counted);
  t.is(status, 'completed');
  const long = 'x'.repeat(20);
  t.deepEqual(below(spans), { Numbered: 1, Earlier: 0, [long]: 1, Start: 2 });
  t.deepEqual(sums, { Numbered: 0.001, Earlier: 0, [long]: 0.001, Start: 0.002 });
  t.is(only(spans, 'Numbered').status, 2);
  t.deepEqual(warnings, []);
});
