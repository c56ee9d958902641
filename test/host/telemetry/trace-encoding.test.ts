import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import test from 'ava';
import fc from 'fast-check';
import type { SpanAttributes, SpanKind } from '../../../core/tracing/tracer.ts';
import type { SpanFacts, SpanPlace } from '../../../host/telemetry/batch/span-batch.ts';
import { SpanWriter } from '../../../host/telemetry/batch/write-spans.ts';
import type { FromExport } from '../../../host/telemetry/export/export-messages.ts';
import { openTraces } from '../../../host/telemetry/export/open-traces.ts';
import { TraceEncoding } from '../../../host/telemetry/export/protobuf/trace-encoding.ts';
import { readableSpans } from '../../../host/telemetry/export/readable-spans.ts';
import { anyText } from '../../support/any-text.ts';
import { decodeOtlp } from '../../support/otlp/definitions.ts';

const origin = {
  resource: resourceFromAttributes({ 'service.name': 'muster', 'service.namespace': 'länger 最長'.repeat(20) }),
  scope: { name: 'muster', version: '1.2.3' },
};

/** What proto3 leaves out or means alike, and `flags`, whose bits above the sampled one say nothing here. */
const plain = (request: Uint8Array): unknown =>
  JSON.parse(JSON.stringify(decodeOtlp('TracesRequest', request)), (name, value) => {
    if (name === 'flags') return Number(value) & 1;
    if (/^dropped|^$/.test(name) && !value) return undefined;
    return name === 'status' && !value.code ? undefined : value;
  });

type Decoded = Readonly<Record<string, unknown>>;
interface DecodedRequest {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Decoded[] }[] }[];
}
const spansOf = (request: Uint8Array): readonly Decoded[] =>
  (plain(request) as DecodedRequest).resourceSpans[0]?.scopeSpans[0]?.spans ?? [];
/** A span without a place gets a random id. */
const withoutId = ({ spanId, ...rest }: Decoded): Decoded => ({
  ...rest,
  hasId: /^[0-9a-f]{16}$/.test(String(spanId)),
});

const officially = (spans: readonly ReadableSpan[]): Uint8Array => {
  const request = ProtobufTraceSerializer.serializeRequest([...spans]);
  if (!request) throw new Error('There is nothing to send.');
  return request;
};

const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
const text = fc.oneof(
  anyText(40),
  fc.string({ unit: fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)), maxLength: 300 }),
  // The length of a message takes one byte or two.
  fc.integer({ min: 100, max: 140 }).map((length) => 'a'.repeat(length)),
);
const value = fc.oneof(
  text,
  fc.boolean(),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double(),
  fc.constantFrom(2 ** 63, -(2 ** 63)),
);
const attributes: fc.Arbitrary<SpanAttributes> = fc.dictionary(text, value, { noNullPrototype: true, maxKeys: 6 });
const facts: fc.Arbitrary<SpanFacts> = fc.record({
  name: text,
  kind: fc.constantFrom<SpanKind>('server', 'client', 'internal'),
  start: fc.nat({ max: 4e15 }),
  end: fc.nat({ max: 4e15 }),
  attributes: fc.tuple(attributes, fc.constantFrom<SpanAttributes>({}, { 'error.type': 'X' })),
  failure: fc.option(text),
});
const place: fc.Arbitrary<SpanPlace> = fc.record({
  trace_id: hex(32),
  span_id: hex(16),
  parent_id: fc.option(hex(16)),
  tracestate: fc.option(fc.constantFrom('vendor=1', 'a=1,b=2', 'a=1 , b=2,,BAD!=x,a=3', '!=')),
  links: fc.array(fc.tuple(hex(32), hex(16)), { maxLength: 4 }),
});

function batchOf(spans: readonly (readonly [SpanFacts, SpanPlace | undefined])[]) {
  const writer = new SpanWriter();
  for (const [each, at] of spans) writer.add(each, at);
  const batch = writer.take();
  if (!batch) throw new Error('There are no spans.');
  return batch;
}

test('a collector reads the same from our encoding as from that of the official packages', (t) => {
  const encoding = new TraceEncoding(origin);
  fc.assert(
    fc.property(fc.array(fc.tuple(facts, place), { minLength: 1, maxLength: 10 }), (spans) => {
      const batch = batchOf(spans);
      const ours = plain(encoding.requestOf(encoding.spansOf(batch)));
      t.deepEqual(ours, plain(officially(readableSpans(batch, origin))));
    }),
    { numRuns: 60 },
  );
});

test('a collector reads the same from a span without a place, below any other', (t) => {
  const encoding = new TraceEncoding(origin);
  const call: SpanFacts = { name: 'x', kind: 'server', start: 1, end: 2, attributes: [{ a: 'b' }], failure: null };
  const plainOrNot = fc.oneof(fc.constant(call), facts);
  const below = fc.option(place, { nil: undefined });
  fc.assert(
    fc.property(place, fc.array(fc.tuple(plainOrNot, below), { maxLength: 12 }), (first, others) => {
      const spans = [[call, first] as const, ...others];
      const batch = batchOf(spans);
      const spansIn = (request: Uint8Array) =>
        spansOf(request).map((each, i) => (spans[i]?.[1] ? each : withoutId(each)));
      t.deepEqual(
        spansIn(encoding.requestOf(encoding.spansOf(batch))),
        spansIn(officially(readableSpans(batch, origin))),
      );
    }),
    { numRuns: 100 },
  );
});

test('messages whose lengths take one, two, three and four bytes are encoded', (t) => {
  const encoding = new TraceEncoding(origin);
  const at = { trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16), parent_id: null, tracestate: null };
  const links = Array.from({ length: 600 }, () => ['c'.repeat(32), 'd'.repeat(16)] as const);
  const call: SpanFacts = { name: 'x', kind: 'server', start: 1, end: 2, attributes: [], failure: null };
  const long = {
    ...call,
    attributes: [Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`k${i}`, 'v'.repeat(1_000)]))],
  };
  for (const [spans, every] of [
    [1, 40],
    [2, 40],
    [40, 40],
    [80, 2],
  ] as const) {
    const batch = batchOf(
      Array.from({ length: spans }, (_, i) => [
        i % every === every - 1 ? long : call,
        { ...at, links: i % 40 === 1 ? links : [] },
      ]),
    );
    const encoded = encoding.spansOf(batch);
    t.deepEqual(plain(encoding.requestOf(encoded)), plain(officially(readableSpans(batch, origin))));
    if (spans === 80) t.true(encoding.requestOf(encoded).length > 2 ** 21);
  }
});

test('a time that cannot be is sent as none or as the latest, with the spans beside it', (t) => {
  const encoding = new TraceEncoding(origin);
  const at: SpanPlace = {
    trace_id: 'a'.repeat(32),
    span_id: 'b'.repeat(16),
    parent_id: null,
    tracestate: null,
    links: [],
  };
  const call: SpanFacts = { name: 'x', kind: 'server', start: 1, end: 2, attributes: [], failure: null };
  const batch = batchOf([
    [{ ...call, start: -Infinity, end: Number.NaN }, at],
    [{ ...call, start: Infinity, end: 1e300 }, at],
    [call, at],
  ]);
  const sent: any = decodeOtlp('TracesRequest', encoding.requestOf(encoding.spansOf(batch)));
  t.deepEqual(
    sent.resourceSpans[0].scopeSpans[0].spans.map((each: any) => [
      each.startTimeUnixNano ?? '0',
      each.endTimeUnixNano ?? '0',
    ]),
    [
      ['0', '0'],
      ['18446744073709551615', '18446744073709551615'],
      ['1000', '2000'],
    ],
  );
});

test('a batch that cannot be read is reported as lost, and ends no export', async (t) => {
  const messages: FromExport[] = [];
  for (const protocol of ['http/protobuf', 'http/json'] as const) {
    const traces = await openTraces(protocol, origin.resource, (message) => messages.push(message));
    traces.add({ spans: 3, names: [], bytes: new Uint8Array(2) });
    await traces.close();
  }
  t.is(messages.length, 2);
  for (const message of messages) t.like(message, { event: 'failed', signal: 'traces', lost: 3 });
});
