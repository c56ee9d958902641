import test from 'ava';
import { hiding } from '../../../host/process/secrets.ts';
import { SpanRecorder } from '../../../host/telemetry/span-recorder.ts';
import type { SpanAttributes } from '../../../core/tracing/tracer.ts';
import type { SpanBatch, SpanRecord } from '../../../host/telemetry/span-record.ts';

const parent = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', tracestate: 'a=1' };

function recorder(sampled = true) {
  const batches: SpanBatch[] = [];
  const tracer = new SpanRecorder({
    sampler: () => sampled,
    send: (batch) => void batches.push(batch),
    mask: hiding(['a-long-secret']),
  });
  const records = (): SpanRecord[] => {
    tracer.flush();
    return batches.flatMap(({ json }) => JSON.parse(json) as SpanRecord[]);
  };
  return { tracer, batches, records };
}

const factsOf = (record: SpanRecord | undefined): SpanAttributes => Object.assign({}, ...(record?.[8] ?? []));

test('the message of a failure is masked and bounded; its code becomes the outcome', (t) => {
  const { tracer, records } = recorder();
  const span = tracer.start('launch', { parent });
  span.fail({ code: 'Refused', message: `the cloud repeats a-long-secret ${'x'.repeat(5_000)}` });
  span.end();
  const [record] = records();
  t.regex(record?.[10] ?? '', /^the cloud repeats \*\*\* x+$/);
  t.is(record?.[10]?.length, 1_000);
  t.deepEqual(factsOf(record), { 'muster.outcome': 'Refused', 'error.type': 'Refused' });
});

test('a span ends once, and nothing changes it afterwards', (t) => {
  const { tracer, records } = recorder();
  const span = tracer.start('call', { attributes: { a: 0, b: 1 } });
  span.set({ a: 1 });
  span.end();
  span.set({ a: 2 });
  span.fail({ code: 'X', message: '' });
  span.end();
  t.deepEqual(
    records().map((record) => [record[0], factsOf(record), record[10]]),
    [['call', { a: 1, b: 1 }, null]],
  );
});

test('spans below a running one have its trace, its tracestate and its request, until it has ended', async (t) => {
  const { tracer, records } = recorder();
  const outer = tracer.start('launch', { parent, attributes: { 'muster.request_id': 'req-1' } });
  let late: unknown = 'unset';
  await tracer.within(outer, async () => {
    await Promise.resolve();
    const above = tracer.current();
    if (above)
      tracer.record({ name: 'RunInstances', kind: 'client', parent: above, start: 5, end: 3, attributes: {} });
    tracer.start('inner').end();
    outer.end();
    late = tracer.current();
  });
  t.is(late, undefined);
  const [call, inner, launch] = records();
  t.deepEqual([call?.[0], inner?.[0], launch?.[0]], ['RunInstances', 'inner', 'launch']);
  for (const each of [call, inner]) t.deepEqual([each?.[2], each?.[4], each?.[5]], [launch?.[2], launch?.[3], 'a=1']);
  t.is(factsOf(call)['muster.request_id'], 'req-1');
  // A clock that was set back makes no negative duration.
  t.true((call?.[7] ?? 0) >= (call?.[6] ?? 0));
});

test('a trace that is not sampled has places and no records, except a span that serves a sampled trace', (t) => {
  const { tracer, records } = recorder(false);
  const span = tracer.start('call', { parent });
  t.regex(span.context?.traceparent ?? '', /^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-00$/);
  tracer.within(span, () => t.is(tracer.current()?.traceparent, span.context?.traceparent));
  span.end();
  tracer.start('observe', { links: [parent], sampled: true }).end();
  t.deepEqual(
    records().map((record) => [record[0], record[9]]),
    [['observe', [['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']]]],
  );
});

test('a batch is sent when it is full, and each span is in one batch, whatever its size and text', (t) => {
  const { tracer, batches, records } = recorder();
  const texts = Array.from(
    { length: 3_000 },
    (_, i) => `${i} ${['x', 'ü', '€', '😀', '"\\\n\ud800'][i % 5]?.repeat(i % 97)}`,
  );
  texts.splice(1_500, 0, 'long '.repeat(40_000));
  for (const text of texts) tracer.start('call', { attributes: { text } }).end();
  t.true(batches.length > 3, 'without the timer');
  const sent = batches.length;
  t.deepEqual(
    records().map((record) => factsOf(record)['text']),
    texts,
  );
  t.is(batches.length, sent + 1);
  for (const { json, spans } of batches) {
    t.is(spans, (JSON.parse(json) as unknown[]).length);
    t.true(spans === 1 || Buffer.byteLength(json) <= 65_536);
  }
});

test('a leaf is recorded with the span above it, alone when it ends later, and not at all without sampling', (t) => {
  const { tracer, batches, records } = recorder();
  const call = tracer.start('call', { parent });
  const [first, late] = tracer.within(call, () => [
    tracer.start('select', { leaf: true, attributes: { a: 1 } }),
    tracer.start('late', { leaf: true }),
  ]);
  first?.set({ b: 2 });
  first?.fail({ code: 'X', message: 'a-long-secret' });
  first?.end();
  first?.set({ b: 3 });
  first?.end();
  call.end();
  late?.end();
  const [above, alone] = records();
  t.deepEqual(
    above?.[11]?.map(([name, , , facts, failure]) => [name, Object.assign({}, ...facts), failure]),
    [['select', { a: 1, b: 2, 'muster.outcome': 'X', 'error.type': 'X' }, '***']],
  );
  const [, start = 0, end = 0] = above?.[11]?.[0] ?? [];
  t.true((above?.[6] ?? Infinity) <= start && start <= end && end <= (above?.[7] ?? 0));
  t.deepEqual([alone?.[0], alone?.[2], alone?.[4], alone?.[5]], ['late', above?.[2], above?.[3], 'a=1']);
  t.is(
    batches.reduce((sum, { spans }) => sum + spans, 0),
    3,
  );

  tracer.start('root', { leaf: true }).end();
  t.is(records().at(-1)?.[0], 'root', 'a leaf below nothing is a span of its own');
  const silent = recorder(false);
  const unsampled = silent.tracer.start('call');
  silent.tracer.within(unsampled, () => silent.tracer.start('select', { leaf: true }).end());
  unsampled.end();
  t.deepEqual(silent.records(), []);
});
