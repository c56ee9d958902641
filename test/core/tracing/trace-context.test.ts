import test from 'ava';
import fc from 'fast-check';
import { contextBelow, placeIn, traceContextOf, traceparentOf } from '../../../core/tracing/trace-context.ts';
import { anyText } from '../../support/any-text.ts';

const hex = (length: number) =>
  fc
    .array(fc.constantFrom(...'0123456789abcdef'), { minLength: length, maxLength: length })
    .map((digits) => digits.join(''))
    .filter((text) => !/^0+$/.test(text));
const places = fc.record({ trace_id: hex(32), span_id: hex(16), sampled: fc.boolean() });

test('a place is read as it was written', (t) => {
  fc.assert(fc.property(places, (place) => t.deepEqual(placeIn(traceparentOf(place)), place)));
});

const valid = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

test('any text is read without an exception, and only a valid one is a context', (t) => {
  const texts = fc.oneof(
    anyText(),
    fc
      .tuple(fc.nat(valid.length), anyText(3))
      .map(([at, text]) => valid.slice(0, at) + text + valid.slice(at + text.length)),
  );
  fc.assert(
    fc.property(texts, anyText(), (parent, state) => {
      const context = traceContextOf(parent, state);
      t.true(context === undefined || placeIn(context.traceparent) !== undefined);
    }),
  );
});

const texts: readonly [string, string, string | undefined][] = [
  ['the version of today', valid, valid],
  ['unknown flags keep only what is known', valid.replace(/01$/, 'ff'), valid],
  ['a later version with more fields', `cc${valid.slice(2)}-what-the-future-brings`, valid],
  ['version 00 with more fields', `${valid}-more`, undefined],
  ['the forbidden version', `ff${valid.slice(2)}`, undefined],
  ['capital digits', valid.toUpperCase(), undefined],
  ['no trace', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`, undefined],
  ['no span', `00-0af7651916cd43dd8448eb211c80319c-${'0'.repeat(16)}-01`, undefined],
  ['two joined headers', `${valid}, ${valid}`, undefined],
  ['an empty text', '', undefined],
];
for (const [what, text, expected] of texts)
  test(`traceparent: ${what}`, (t) => t.is(traceContextOf(text)?.traceparent, expected));

test('a tracestate is kept up to 512 characters of visible ASCII', (t) => {
  t.is(traceContextOf(valid, 'a=1,b=2')?.tracestate, 'a=1,b=2');
  for (const bad of ['', 'a', `a=${'x'.repeat(511)}`, 'a=\u0007', 'a=ü', 7, ['a=1']])
    t.deepEqual(traceContextOf(valid, bad), { traceparent: valid }, String(bad));
});

test('a place below another one is the same for everybody, in the same trace, and another for each name', (t) => {
  fc.assert(
    fc.property(places, fc.string(), fc.string(), (place, one, other) => {
      const above = { traceparent: traceparentOf(place), tracestate: 'a=1' };
      const below = contextBelow(above, one);
      t.deepEqual(below, contextBelow(above, one));
      const found = placeIn(below.traceparent);
      t.is(found?.trace_id, place.trace_id);
      t.is(found?.sampled, place.sampled);
      t.is(below.tracestate, 'a=1');
      t.not(found?.span_id, place.span_id);
      if (one !== other) t.notDeepEqual(below, contextBelow(above, other));
    }),
  );
});
