import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { testStorage } from 'muster/plugin-testkit';
import plugin from '../index.ts';

const directory = mkdtempSync(join(tmpdir(), 'storage-journal-'));
after(() => rmSync(directory, { recursive: true }));

testStorage({
  test,
  plugin: () => plugin,
  // A file of its own for each check.
  place: () => join(directory, `${randomUUID()}.jsonl`),
  options: (path) => ({ path }),
  // For what only another process can show: that what was acknowledged outlives a kill.
  module: new URL('../index.ts', import.meta.url),
});
