import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { root } from '../../scripts/pages/page.ts';
import { pages } from '../../scripts/pages/pages.ts';

for (const { name, make } of pages.filter(({ tested_in }) => tested_in === undefined)) {
  test(`the page '${name}' is as the code makes it: npm run generate -- ${name}`, async (t) => {
    for (const { file, written, made } of await make()) t.is(written, made, file);
  });
}

test('a page that is not compared here is compared in the test that it names', (t) => {
  for (const { name, tested_in } of pages)
    if (tested_in !== undefined)
      t.true(readFileSync(join(root, tested_in), 'utf8').includes(`/scripts/pages/${name}.ts`), name);
});

test('every page has a file in scripts/pages, and comes after the pages that it is made from', (t) => {
  const names = pages.map(({ name }) => name);
  t.is(new Set(names).size, names.length);
  for (const [place, { name, after = [] }] of pages.entries()) {
    t.true(existsSync(join(root, `scripts/pages/${name}.ts`)), name);
    for (const each of after) t.true(names.slice(0, place).includes(each), `${name} stands above ${each}`);
  }
});
