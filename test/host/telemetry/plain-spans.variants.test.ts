import test from 'ava';
import fc from 'fast-check';
import type { SpanAttributes, SpanKind } from '../../../core/tracing/tracer.ts';
import { readSpans } from '../../../host/telemetry/batch/read-spans.ts';
import type { SpanFacts, SpanPlace } from '../../../host/telemetry/batch/span-batch.ts';
import { SpanWriter } from '../../../host/telemetry/batch/write-spans.ts';
import { encodeSpan } from '../../../host/telemetry/export/protobuf/encode-span.ts';
import { PlainSpanWriter } from '../../../host/telemetry/export/protobuf/plain-span-writer.ts';
import { ProtobufWriter } from '../../../host/telemetry/export/protobuf/protobuf-writer.ts';
import { decodeOtlp } from '../../support/otlp/definitions.ts';
import { tries } from '../../support/variants.ts';

const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
const ascii = fc.oneof(
  fc.string({ unit: fc.nat({ max: 0x7f }).map((code) => String.fromCharCode(code)), maxLength: 20 }),
  // The length of a text, of its value or of its attribute takes one byte or two.
  fc.integer({ min: 80, max: 140 }).map((length) => 'a'.repeat(length)),
);
const whole = fc.oneof(
  fc.nat({ max: 300 }),
  fc.nat({ max: 2 ** 31 - 1 }),
  fc.constantFrom(127, 128, 16_383, 16_384, 2_097_151, 2_097_152, 2 ** 28 - 1, 2 ** 28, 2 ** 31 - 1),
);
const few = { noNullPrototype: true, maxKeys: 6 } as const;
const attributes: fc.Arbitrary<SpanAttributes> = fc.dictionary(
  fc.oneof(fc.constantFrom('a', 'b', 'länger'), ascii),
  fc.oneof(ascii, whole, fc.boolean()),
  few,
);
const plainFacts: fc.Arbitrary<SpanFacts> = fc.record({
  name: fc.oneof(ascii, fc.constant('länger 最長')),
  kind: fc.constantFrom<SpanKind>('server', 'client', 'internal'),
  start: fc.nat({ max: 4e15 }),
  end: fc.nat({ max: 4e15 }),
  attributes: fc.array(attributes, { maxLength: 3 }),
  failure: fc.constant(null),
});
const plainPlace: fc.Arbitrary<SpanPlace> = fc.record({
  trace_id: hex(32),
  span_id: hex(16),
  parent_id: fc.option(hex(16)),
  tracestate: fc.constant(null),
  links: fc.constant([]),
});

function batchOf(spans: readonly (readonly [SpanFacts, SpanPlace?])[]) {
  const writer = new SpanWriter();
  for (const [facts, place] of spans) writer.add(facts, place);
  const batch = writer.take();
  if (!batch) throw new Error('There are no spans.');
  return batch;
}

function plainWriter({ bytes, names }: ReturnType<typeof batchOf>): PlainSpanWriter {
  const writer = new PlainSpanWriter();
  writer.beginBatch(bytes, names);
  return writer;
}

interface DecodedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: unknown }[];
}

/** The spans of fields of ScopeSpans; the order of attributes says nothing, but each key must be there once. */
function spansIn(fields: Uint8Array) {
  const writer = new ProtobufWriter();
  const request = writer.open(1);
  const scoped = writer.open(2);
  writer.parts(fields);
  writer.close(scoped);
  writer.close(request);
  const { resourceSpans } = decodeOtlp('TracesRequest', writer.written());
  const spans: readonly DecodedSpan[] = resourceSpans[0].scopeSpans[0].spans;
  return spans.map((span) => ({
    ...span,
    keys: span.attributes.length,
    attributes: Object.fromEntries(span.attributes.map(({ key, value }) => [key, value])),
  }));
}

function generally(batch: ReturnType<typeof batchOf>): Uint8Array {
  const writer = new ProtobufWriter();
  for (const { place, ...facts } of readSpans(batch)) if (place) encodeSpan(writer, 2, { ...facts, place });
  return writer.written();
}

test('plain spans are encoded from their bytes as they are from their texts', (t) => {
  fc.assert(
    fc.property(fc.array(fc.tuple(plainFacts, plainPlace), { minLength: 1, maxLength: 8 }), (spans) => {
      const batch = batchOf(spans);
      const writer = plainWriter(batch);
      let at = 0;
      for (const _ of spans) at = writer.plainSpan(at, undefined)?.next ?? Number.NaN;
      t.is(at, batch.bytes.length, 'each of them is plain, and nothing is left');
      t.deepEqual(spansIn(writer.written()), spansIn(generally(batch)));
    }),
    { numRuns: 100 },
  );
});

const place: SpanPlace = {
  trace_id: '0123456789abcdef'.repeat(2),
  span_id: 'fedcba9876543210',
  parent_id: null,
  tracestate: null,
  links: [],
};
const call: SpanFacts = { name: 'call', kind: 'server', start: 1, end: 2, attributes: [{ a: 'b' }], failure: null };

const others: Readonly<Record<string, readonly [SpanFacts, SpanPlace?]>> = {
  'a text with a character of two bytes': [{ ...call, attributes: [{ a: 'ä' }] }, place],
  'a text with a character above Latin-1': [{ ...call, attributes: [{ a: '最' }] }, place],
  'a fraction': [{ ...call, attributes: [{ a: 0.5 }] }, place],
  'a negative number': [{ ...call, attributes: [{ a: -1 }] }, place],
  'a large number': [{ ...call, attributes: [{ a: 2 ** 31 }] }, place],
  'no number': [{ ...call, attributes: [{ a: Number.NaN }] }, place],
  'a failure': [{ ...call, failure: '' }, place],
  'a trace state': [call, { ...place, tracestate: 'a=1' }],
  'a link': [call, { ...place, links: [[place.trace_id, place.span_id]] }],
  'no span above it': [call],
};
for (const [what, span] of Object.entries(others))
  test(`what is not plain is left to the general way: ${what}`, (t) => {
    const writer = plainWriter(batchOf([span]));
    writer.parts(Buffer.from('before'));
    t.is(writer.plainSpan(0, undefined), undefined);
    t.is(Buffer.from(writer.written()).toString(), 'before');
  });

test('a span without a place is below the last that had one', (t) => {
  const writer = plainWriter(batchOf([[call, place], [call], [{ ...call, name: 'second' }]]));
  const first = writer.plainSpan(0, undefined);
  const second = writer.plainSpan(first?.next ?? -1, first?.place);
  writer.plainSpan(second?.next ?? -1, second?.place);
  const [above, ...below] = spansIn(writer.written());
  t.is(above?.spanId, place.span_id);
  t.is(new Set([above, ...below].map((each) => each?.spanId)).size, 3);
  for (const each of below) t.like(each, { traceId: place.trace_id, parentSpanId: place.span_id });
  t.is(below[1]?.name, 'second');
});

const atTheEnd: Readonly<Record<string, SpanFacts>> = {
  'each kind of value': { ...call, attributes: [{ text: 'x'.repeat(130), number: 2 ** 31 - 1, yes: true }] },
  'a long name': { ...call, name: 'n'.repeat(1_000), attributes: [] },
  'a long key': { ...call, attributes: [{ ['k'.repeat(1_000)]: 1 }] },
  'a long text': { ...call, attributes: [{ text: 'x'.repeat(1_000) }] },
};
for (const [what, facts] of Object.entries(atTheEnd))
  test(`a plain span is whole when it meets the end of the buffer: ${what}`, (t) => {
    const batch = batchOf([[facts, place]]);
    const expected = generally(batch);
    const full = Buffer.alloc(131_072, 7);
    // The quick tests try each place in the short span, and some in the long ones.
    const step = expected.length < 500 ? 1 : tries(5, 1);
    for (let left = 0; left <= expected.length + 300; left += step) {
      const writer = plainWriter(batch);
      writer.parts(full.subarray(left));
      const before = writer.size;
      t.is(writer.plainSpan(0, undefined)?.next, batch.bytes.length);
      const written = writer.written();
      if (!Buffer.from(expected).equals(written.subarray(before))) t.fail(`with ${left} bytes left`);
      if (!full.subarray(left).equals(written.subarray(0, before))) t.fail(`what is before, with ${left} bytes left`);
    }
  });

test('an attribute may have any key, in both ways of encoding', (t) => {
  const attributes = [Object.fromEntries([['__proto__', 1] as const, ['constructor', 'a'] as const])];
  const batch = batchOf([[{ ...call, attributes }, place]]);
  const writer = plainWriter(batch);
  writer.plainSpan(0, undefined);
  t.is(Buffer.compare(writer.written(), generally(batch)), 0);
  t.true(Buffer.from(generally(batch)).includes('__proto__'));
});

test('bytes that are no spans are refused, wherever they end', (t) => {
  const { bytes, names } = batchOf([[call, place]]);
  for (let length = 0; length < bytes.length; length += 1) {
    const writer = plainWriter({ spans: 1, names, bytes: bytes.subarray(0, length) });
    const plain = (): unknown => writer.plainSpan(0, undefined);
    try {
      t.is(plain(), undefined, `${length} of ${bytes.length} bytes`);
    } catch (error) {
      t.true(error instanceof RangeError);
    }
    t.is(writer.size, 0);
  }
});
