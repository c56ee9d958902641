import test from 'ava';
import fc from 'fast-check';
import { jsonErrorOffset } from '../../config/sources/json-error.ts';

const broken: readonly (readonly [string, number])[] = [
  ['', 0],
  ['{"a": 1,}', 8],
  ['[1, ]', 4],
  ['[1 2]', 3],
  ['{"a" 1}', 5],
  ['{a: 1}', 1],
  ["{'a': 1}", 1],
  ['{"a": 1', 7],
  ['[1}', 2],
  ['1 2', 2],
  ['{"a": tru}', 6],
  ['{"a": 01}', 6],
  ['// note\n{}', 0],
  ['{"a": "x\ny"}', 6],
  [',', 0],
  ['{"a": }', 6],
];
for (const [text, offset] of broken) {
  test(`the first wrong character is found in ${JSON.stringify(text)}`, (t) => t.is(jsonErrorOffset(text), offset));
}

test('JSON is read to its end', (t) => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2, '\t'), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      t.is(jsonErrorOffset(text), text.length);
    }),
  );
});

test('what JSON.parse refuses is never read to its end without something missing', (t) => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '1', ' ', 'true') }),
      (text) => {
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        if (valid) t.is(jsonErrorOffset(text), text.trimEnd().length + (text.length - text.trimEnd().length));
        else t.true(jsonErrorOffset(text) <= text.length);
      },
    ),
  );
});
