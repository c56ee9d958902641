import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { requestSituations, returnSituations } from '../core/requests/explain/situations.ts';

const guide = readFileSync(join(import.meta.dirname, '../../docs/guides/why-did-my-request-fail.md'), 'utf8');

/** The first cells of the tables about the field `because`, and of others that quote it. */
function quotedInTables(): string[] {
  const cells = guide.split('\n').flatMap((line) => {
    const [, first] = /^\| ((?:\\\||[^|])+) \|/.exec(line) ?? [];
    return first === undefined ? [] : [first.replaceAll('\\|', '|')];
  });
  return cells.filter((cell) => /^[A-Z0-9'].+\.$/.test(cell));
}

/** The sentences with which `muster requests explain` begins in examples. */
const shown = (): string[] =>
  [...guide.matchAll(/^\$ muster requests explain .+\n([^$]+?)\n\n/gm)].map(([, text = '']) =>
    text.replaceAll('\n', ' '),
  );

test('every sentence of the guide to failed requests is one that the broker says', (t) => {
  const said = new Set([...requestSituations, ...returnSituations].map(([, , sentence]) => sentence));
  const quoted = quotedInTables();
  t.true(quoted.length >= 25, `${quoted.length} in tables`);
  t.is(shown().length, 2);
  t.deepEqual(
    [...quoted, ...shown()].filter((sentence) => !said.has(sentence)),
    [],
  );
});
