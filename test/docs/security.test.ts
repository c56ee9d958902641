import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/guides/security.md'), 'utf8');

/** The rows below each heading of attacks, by the cells between the bars. */
function attacks(): readonly (readonly string[])[] {
  const tables = page.split('| Attack | What happens | Shown by |\n|---|---|---|\n').slice(1);
  return tables.flatMap((table) =>
    table
      .slice(0, table.indexOf('\n\n'))
      .split('\n')
      .map((row) =>
        row
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      ),
  );
}

/** A title as it is read, whichever quotes it stands in. */
const plain = (text: string): string => text.replaceAll("\\'", "'");

test('every attack of the page on security is shown by a test that there is', (t) => {
  const rows = attacks();
  t.true(rows.length > 40, String(rows.length));
  for (const [attack = '', , shown = ''] of rows) {
    const named = [...shown.matchAll(/`(test\/[\w./-]+\.test\.ts)` › “([^”]+)”/g)];
    t.true(named.length > 0, attack);
    for (const [, file = '', title = ''] of named) {
      t.true(existsSync(join(root, file)), file);
      t.true(plain(readFileSync(join(root, file), 'utf8')).includes(title), `${file}: ${title}`);
    }
  }
});
