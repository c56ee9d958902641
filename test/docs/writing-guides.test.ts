import { relative, resolve } from 'node:path';
import test from 'ava';
import { writingPages } from '../../scripts/writing-pages.ts';

const root = resolve(import.meta.dirname, '../..');

for (const { file, written, made } of writingPages()) {
  test(`${relative(root, file)} shows the files of its examples as they are: node scripts/writing-pages.ts`, (t) => {
    t.is(written, made);
  });
}
