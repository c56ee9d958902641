import test from 'ava';
import { hiding } from '../../../host/process/secrets.ts';
import { SpanRecorder } from '../../../host/telemetry/span-recorder.ts';
import { readSpans } from '../../../host/telemetry/batch/read-spans.ts';
import type { ReadSpan, SpanBatch, SpanPlace } from '../../../host/telemetry/batch/span-batch.ts';

const parent = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', tracestate: 'a=1' };

function recorder(sampled = true) {
  const batches: SpanBatch[] = [];
  const tracer = new SpanRecorder({
    sampler: () => sampled,
    send: (batch) => void batches.push(structuredClone(batch)),
    mask: hiding(['a-long-secret']),
  });
  const spans = (): readonly ReadSpan[] => {
    tracer.flush();
    return batches.flatMap(readSpans);
  };
  return { tracer, batches, spans };
}

test('the message of a failure is masked and bounded; its code becomes the outcome', (t) => {
  const { tracer, spans } = recorder();
  const span = tracer.start('launch', { parent });
  span.fail({ code: 'Refused', message: `the cloud repeats a-long-secret ${'x'.repeat(5_000)}` });
  span.end();
  const [launch] = spans();
  t.regex(launch?.failure ?? '', /^the cloud repeats \*\*\* x+$/);
  t.is(launch?.failure?.length, 1_000);
  t.deepEqual(launch?.attributes, { 'muster.outcome': 'Refused', 'error.type': 'Refused' });
});

test('a span ends once, and nothing changes it afterwards', (t) => {
  const { tracer, spans } = recorder();
  const span = tracer.start('call', { attributes: { a: 0, b: 1 } });
  span.set({ a: 1 });
  span.end();
  span.set({ a: 2 });
  span.fail({ code: 'X', message: '' });
  span.end();
  t.deepEqual(
    spans().map(({ name, attributes, failure }) => [name, attributes, failure]),
    [['call', { a: 1, b: 1 }, null]],
  );
});

test('spans below a running one have its trace, its tracestate and its request, until it has ended', async (t) => {
  const { tracer, spans } = recorder();
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
  const [call, inner, launch] = spans();
  t.deepEqual([call?.name, inner?.name, launch?.name], ['RunInstances', 'inner', 'launch']);
  t.deepEqual([call?.kind, inner?.kind], ['client', 'internal']);
  const { trace_id, span_id } = launch?.place ?? {};
  for (const each of [call, inner])
    t.like(each?.place, { trace_id, parent_id: span_id, tracestate: 'a=1' } as Partial<SpanPlace>);
  t.is(call?.attributes['muster.request_id'], 'req-1');
  // A clock that was set back makes no negative duration.
  t.deepEqual([call?.start, call?.end], [5_000, 5_000]);
});

test('a time that is no number is replaced: an exporter refuses the spans beside it too', (t) => {
  const { tracer, spans } = recorder();
  const call = { name: 'RunInstances', parent, attributes: {} };
  const before = Date.now() * 1_000;
  tracer.record({ ...call, start: Number.NaN, end: Number.NaN });
  tracer.record({ ...call, start: 5, end: Infinity });
  tracer.record({ ...call, start: -Infinity, end: 5 });
  tracer.record({ ...call, start: -1e306, end: 1e306 });
  const [neither, endless, endOnly, impossible] = spans();
  t.true((neither?.start ?? 0) >= before && neither?.start === neither?.end);
  t.deepEqual([endless?.start, endless?.end], [5_000, 5_000]);
  for (const { start = 0, end } of [endOnly ?? {}, impossible ?? {}]) t.true(start >= before && start === end);
});

test('a trace that is not sampled has places and no spans, except a span that serves a sampled trace', (t) => {
  const { tracer, spans } = recorder(false);
  const span = tracer.start('call', { parent });
  t.regex(span.context?.traceparent ?? '', /^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-00$/);
  tracer.within(span, () => t.is(tracer.current()?.traceparent, span.context?.traceparent));
  span.end();
  tracer.start('observe', { links: [parent], sampled: true }).end();
  t.deepEqual(
    spans().map(({ name, place }) => [name, place?.links]),
    [['observe', [['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']]]],
  );
});

test('a batch is sent when it is full, and each span is in one batch', (t) => {
  const { tracer, batches, spans } = recorder();
  const texts = Array.from({ length: 6_000 }, (_, i) => `${i} ${'x'.repeat(i % 97)}`);
  for (const text of texts) tracer.start('call', { attributes: { text } }).end();
  t.true(batches.length > 3, 'without the timer');
  const sent = batches.length;
  t.deepEqual(
    spans().map(({ attributes }) => attributes['text']),
    texts,
  );
  t.is(batches.length, sent + 1);
  for (const batch of batches) {
    t.is(batch.spans, readSpans(batch).length);
    t.true(batch.bytes.length <= 131_072);
  }
});

test('a leaf is recorded with the span above it, and alone when there is none', (t) => {
  const { tracer, batches, spans } = recorder();
  const call = tracer.start('call', { parent });
  tracer.within(call, () => {
    const failure = { code: 'X', message: 'a-long-secret' };
    tracer.leaf({ name: 'select', start: tracer.moment(), attributes: { a: 1 }, failure });
  });
  call.end();
  tracer.within(call, () => tracer.leaf({ name: 'late', start: tracer.moment(), attributes: {} }));
  const [above, leaf, alone] = spans();
  t.like(leaf, { name: 'select', kind: 'internal', failure: '***', place: undefined });
  t.deepEqual(leaf?.attributes, { a: 1, 'muster.outcome': 'X', 'error.type': 'X' });
  const { start = 0, end = 0 } = leaf ?? {};
  t.true((above?.start ?? Infinity) <= start && start <= end && end <= (above?.end ?? 0));
  t.like(alone, { name: 'late', place: { parent_id: null } });
  t.not(alone?.place?.trace_id, above?.place?.trace_id);
  t.is(
    batches.reduce((sum, batch) => sum + batch.spans, 0),
    3,
  );
});

test('a leaf is not recorded in a trace that is not sampled', (t) => {
  const { tracer, spans } = recorder(false);
  const leaf = { name: 'select', start: 0, attributes: {} };
  const call = tracer.start('call');
  tracer.within(call, () => tracer.leaf(leaf));
  call.end();
  tracer.leaf(leaf);
  t.deepEqual(spans(), []);
});
