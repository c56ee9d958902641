import test from 'ava';
import { hiding } from '../../../host/process/secrets.ts';
import { SpanRecorder } from '../../../host/telemetry/span-recorder.ts';
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

test('the message of a failure is masked and bounded; its code becomes the outcome', (t) => {
  const { tracer, records } = recorder();
  const span = tracer.start('launch', { parent });
  span.fail({ code: 'Refused', message: `the cloud repeats a-long-secret ${'x'.repeat(5_000)}` });
  span.end();
  const [record] = records();
  t.regex(record?.[10] ?? '', /^the cloud repeats \*\*\* x+$/);
  t.is(record?.[10]?.length, 1_000);
  t.deepEqual(record?.[8], { 'muster.outcome': 'Refused', 'error.type': 'Refused' });
});

test('a span ends once, and nothing changes it afterwards', (t) => {
  const { tracer, records } = recorder();
  const span = tracer.start('call', { attributes: { a: 1 } });
  span.end();
  span.set({ a: 2 });
  span.fail({ code: 'X', message: '' });
  span.end();
  t.deepEqual(
    records().map((record) => [record[0], record[8], record[10]]),
    [['call', { a: 1 }, null]],
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
  t.is(call?.[8]['muster.request_id'], 'req-1');
  // A clock that was set back makes no negative duration.
  t.true((call?.[7] ?? 0) >= (call?.[6] ?? 0));
});

test('a trace that is not sampled has places and no records, except a span that serves a sampled trace', (t) => {
  const { tracer, records } = recorder(false);
  const span = tracer.start('call', { parent });
  t.regex(span.context.traceparent, /^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-00$/);
  tracer.within(span, () => t.is(tracer.current()?.traceparent, span.context.traceparent));
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
    records().map(([, , , , , , , , { text }]) => text),
    texts,
  );
  t.is(batches.length, sent + 1);
  for (const { json, spans } of batches) {
    t.is(spans, (JSON.parse(json) as unknown[]).length);
    t.true(spans === 1 || Buffer.byteLength(json) <= 65_536);
  }
});
