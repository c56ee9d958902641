import test from 'ava';
import { usedByTag } from './used-by-tag.ts';

for (const storage of ['memory', 'sqlite'] as const)
  test(`use is summed up by the configured tags, and stays so without the records (${storage})`, (t) =>
    usedByTag(t, { storage }));
