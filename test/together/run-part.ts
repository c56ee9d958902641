import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import test from 'ava';
import { groups, oneByOne } from './groups.ts';

const tests = join(import.meta.dirname, '..');

/**
 * Declares the tests of one part of a group. The name of `file` determines the part: of `core-1.ts`, `core-2.ts` and
 * `core-3.ts`, `core-2.ts` runs the second third of the test files of the group `core`.
 */
export async function runPart(file: string): Promise<void> {
  const [group = '', part = ''] = basename(file, '.ts').split('-');
  const parts = globSync(`${group}-*.ts`, { cwd: import.meta.dirname }).length;
  const pattern = groups[group];
  const files =
    pattern === undefined ? [] : globSync(pattern, { cwd: tests, exclude: ['**/*.long.test.ts'] }).toSorted();
  const mine = files.filter((_, index) => index % parts === Number(part) - 1);
  if (mine.length === 0) throw new Error(`There are no tests for ${file}.`);
  if (oneByOne.has(group)) runOneByOne();
  for (const each of mine) await import(pathToFileURL(join(tests, each)).href);
}

/** Begins each test of this process after the end of the one before. */
function runOneByOne(): void {
  let last = Promise.resolve();
  test.beforeEach(async (t) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = last;
    last = promise;
    t.context = resolve;
    await before;
  });
  test.afterEach.always((t) => (t.context as () => void)());
}
