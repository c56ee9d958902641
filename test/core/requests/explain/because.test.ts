import test from 'ava';
import { because } from '../../../../core/requests/explain/because.ts';
import { becauseReturn } from '../../../../core/requests/explain/because-return.ts';
import { requestSituations, returnSituations } from './situations.ts';

for (const [name, situation, sentence] of requestSituations)
  test(`because: ${name}`, (t) => t.is(because(situation), sentence));

for (const [name, situation, sentence] of returnSituations)
  test(`because: ${name}`, (t) => t.is(becauseReturn(situation), sentence));

test('every sentence is one, begins with a capital and ends with a full stop', (t) => {
  const all = [...requestSituations, ...returnSituations].map(([, , sentence]) => sentence);
  t.true(all.length >= 50);
  for (const sentence of all) {
    t.regex(sentence, /^[A-Z0-9'].*[^.]\.$/);
    t.notRegex(sentence, /undefined|\bNaN\b|\n| {2}|\[object/);
  }
});
