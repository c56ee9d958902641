import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { root, type MadeFile, type Page } from './pages/page.ts';
import { pages } from './pages/pages.ts';

// npm run generate [-- [--check] [NAME ...]]: makes the named pages and those that they are made from; without a name
// all pages. With --check it writes nothing, lists what is out of date, and ends with 1 if there is anything to list.
const { values, positionals } = parseArgs({
  options: { check: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !pages.some((page) => page.name === name));
if (unknown.length > 0) {
  console.error(
    `There is no page ${unknown.map((name) => `'${name}'`).join(', ')}. Pages: ${pages.map(({ name }) => name).join(', ')}.`,
  );
  process.exitCode = 2;
} else if (values.check) await check(selected(positionals));
else await write(selected(positionals));

/** The pages of these names and those that they are made from, in the order of the table. */
function selected(names: readonly string[]): readonly Page[] {
  if (names.length === 0) return pages;
  const wanted = new Set(names);
  for (const { name, after = [] } of pages.toReversed())
    if (wanted.has(name)) for (const each of after) wanted.add(each);
  return pages.filter(({ name }) => wanted.has(name));
}

async function write(chosen: readonly Page[]): Promise<void> {
  let written = 0;
  for (const page of chosen) {
    for (const { file, made } of await outOfDate(page)) {
      const path = join(root, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, made);
      console.log(`wrote ${file}`);
      written += 1;
    }
  }
  console.log(written === 0 ? 'Everything was up to date.' : `Wrote ${written} ${written === 1 ? 'file' : 'files'}.`);
}

async function check(chosen: readonly Page[]): Promise<void> {
  const stale = new Set<string>();
  for (const page of chosen) {
    const source = page.after?.find((name) => stale.has(name));
    const files = source === undefined ? await outOfDate(page) : [];
    for (const { file } of files) console.log(`${file} is out of date: npm run generate -- ${page.name}`);
    if (source !== undefined)
      console.log(
        `The page '${page.name}' is made from '${source}', which is out of date: npm run generate -- ${page.name}`,
      );
    if (files.length > 0 || source !== undefined) stale.add(page.name);
  }
  console.log(stale.size === 0 ? 'Everything is up to date.' : 'All at once: npm run generate');
  if (stale.size > 0) process.exitCode = 1;
}

async function outOfDate(page: Page): Promise<readonly MadeFile[]> {
  try {
    return (await page.make()).filter(({ written, made }) => written !== made);
  } catch (error) {
    throw new Error(`The page '${page.name}' could not be made.`, { cause: error });
  }
}
