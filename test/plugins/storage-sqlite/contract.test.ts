import { DatabaseSync } from 'node:sqlite';
import test from 'ava';
import plugin from '../../../plugins/storage-sqlite/index.ts';
import { testStorage } from '../../../plugin-testkit/index.ts';
import { freshPath } from '../../support/storage-sqlite-file.ts';

/** Another process that writes for longer than a commit waits. */
async function holdLock(path: string): Promise<void> {
  const other = new DatabaseSync(path, { timeout: 5_000 });
  other.exec('BEGIN IMMEDIATE');
  await new Promise<void>((resolve) => void setTimeout(resolve, 250));
  other.exec('COMMIT');
  other.close();
}

/** What takes long runs in contract.long.test.ts. */
const long = /a hundred thousand|leaves nothing behind, wherever/;

testStorage({
  test: Object.assign((title: string, body: (t: any) => Promise<void>) => long.test(title) || test(title, body), {
    todo: test.todo,
  }),
  plugin: () => plugin,
  place: freshPath,
  options: (path) => ({ path }),
  module: new URL('../../../plugins/storage-sqlite/index.ts', import.meta.url),
});

// A commit that waits for a short time is refused soon.
testStorage({
  test: Object.assign(
    (title: string, body: (t: any) => Promise<void>) => title.includes('interruption') && test(title, body),
    { todo: () => {} },
  ),
  plugin: () => plugin,
  place: freshPath,
  options: (path) => ({ path, busy_timeout_ms: 100 }),
  interrupt: holdLock,
});
