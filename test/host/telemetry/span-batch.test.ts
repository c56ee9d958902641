import { isDeepStrictEqual } from 'node:util';
import test from 'ava';
import fc from 'fast-check';
import type { SpanAttributes, SpanKind } from '../../../core/tracing/tracer.ts';
import { batchFromJson, batchToJson, type JsonBatch } from '../../../host/telemetry/batch/batch-as-json.ts';
import { readSpans } from '../../../host/telemetry/batch/read-spans.ts';
import type { SpanFacts, SpanPlace } from '../../../host/telemetry/batch/span-batch.ts';
import { SpanWriter } from '../../../host/telemetry/batch/write-spans.ts';

/** Also characters above Latin-1, and halves of surrogate pairs. */
const text = fc.string({ unit: fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)), maxLength: 40 });
const anyText = fc.oneof(text, fc.string({ unit: 'binary-ascii', maxLength: 300 }));
const attributes: fc.Arbitrary<SpanAttributes> = fc.dictionary(
  fc.string({ minLength: 1, maxLength: 8 }),
  fc.oneof(anyText, fc.double(), fc.integer(), fc.boolean()),
  { noNullPrototype: true },
);
const plain = { noNullPrototype: true };
const facts: fc.Arbitrary<SpanFacts> = fc.record(
  {
    name: anyText,
    kind: fc.constantFrom<SpanKind>('server', 'client', 'internal'),
    start: fc.maxSafeInteger(),
    end: fc.maxSafeInteger(),
    attributes: fc.array(attributes, { maxLength: 3 }),
    failure: fc.option(anyText),
  },
  plain,
);
const place: fc.Arbitrary<SpanPlace> = fc.record(
  {
    trace_id: anyText,
    span_id: anyText,
    parent_id: fc.option(anyText),
    tracestate: fc.option(anyText),
    links: fc.array(fc.tuple(anyText, anyText), { maxLength: 3 }),
  },
  plain,
);
const span = fc.tuple(facts, fc.option(place, { nil: undefined }));

test('what is read from a batch is what was written', (t) => {
  const writer = new SpanWriter();
  fc.assert(
    fc.property(fc.array(span, { minLength: 1, maxLength: 20 }), (spans) => {
      for (const [each, at] of spans) writer.add(each, at);
      const batch = writer.take();
      t.is(batch?.spans, spans.length);
      t.is(writer.take(), undefined);
      const read = batch && readSpans(structuredClone(batch));
      const received = batch && (JSON.parse(JSON.stringify(batchToJson(batch))) as JsonBatch);
      const written = spans.map(([each, at]) => ({
        ...each,
        attributes: Object.assign({}, ...each.attributes) as SpanAttributes,
        place: at,
      }));
      return (
        isDeepStrictEqual(read, written) && received && isDeepStrictEqual(readSpans(batchFromJson(received)), read)
      );
    }),
  );
});

test('an attribute without a value leaves an earlier one as it is', (t) => {
  const writer = new SpanWriter();
  const absent = { a: undefined } as unknown as SpanAttributes;
  const attributes = [{ a: 1, b: 2 }, absent, { b: 3 }];
  writer.add({ name: 'call', kind: 'server', start: 1, end: 2, attributes, failure: null });
  const batch = writer.take();
  t.deepEqual(batch && readSpans(batch)[0]?.attributes, { a: 1, b: 3 });
});

test('a batch is small between processes', (t) => {
  const writer = new SpanWriter();
  writer.add({ name: 'call', kind: 'server', start: 1, end: 2, attributes: [{ a: 0 }], failure: null });
  const batch = writer.take();
  const base64 = batch ? batchToJson(batch).base64 : '';
  t.is(JSON.stringify(base64).length, base64.length + 2, 'no character is escaped');
});

test('a batch grows for a span of any size; long texts are cut off', (t) => {
  const writer = new SpanWriter();
  const call: SpanFacts = { name: 'call', kind: 'server', start: 1, end: 2, attributes: [], failure: null };
  const long = 'lang, länger, 最長 '.repeat(1_000);
  const links = Array.from({ length: 70_000 }, (_, i) => [`trace-${i}`, `span-${i}`] as const);
  const at: SpanPlace = { trace_id: 'a', span_id: 'b', parent_id: null, tracestate: null, links };
  for (let round = 0; round < 2; round += 1) {
    writer.add({ ...call, attributes: [{ long }], failure: long }, at);
    writer.add(call);
    const batch = structuredClone(writer.take());
    const [first, second] = batch ? readSpans(batch) : [];
    t.is(first?.attributes['long'], long.slice(0, 1_000));
    t.is(first?.failure, long.slice(0, 1_000));
    t.true(isDeepStrictEqual(first?.place, at));
    t.deepEqual(second, { ...call, attributes: {}, place: undefined });
  }
});

for (const [kind, value] of Object.entries({ number: 0.5, text: 'ab', 'wide text': '最', boolean: true }))
  test(`a span is whole when a value meets the end of the buffer: ${kind}`, (t) => {
    const values = Object.fromEntries(Array.from({ length: 14_000 }, (_, i) => [`${i}`, value]));
    for (let more = 0; more < 16; more += 1) {
      const attributes: SpanAttributes = { padding: 'x'.repeat(more), ...values };
      const facts: SpanFacts = {
        name: 'call',
        kind: 'server',
        start: 1,
        end: 2,
        attributes: [attributes],
        failure: null,
      };
      const writer = new SpanWriter();
      writer.add(facts);
      const [read] = readSpans(writer.take() ?? { spans: 0, names: [], bytes: new Uint8Array() });
      t.true(isDeepStrictEqual(read?.attributes, attributes), `after ${more} bytes`);
    }
  });

test('a small batch is posted without the rest of its buffer', (t) => {
  const writer = new SpanWriter();
  writer.add({ name: 'call', kind: 'server', start: 1, end: 2, attributes: [{ a: 0 }], failure: null });
  const bytes = writer.take()?.bytes;
  t.is(bytes?.buffer.byteLength, bytes?.length);
});
