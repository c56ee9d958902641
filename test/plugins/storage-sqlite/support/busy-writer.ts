import { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import { GroupQueue } from '../../../../plugins/storage-sqlite/commits/group-queue.ts';

const { path, groups } = workerData as { readonly path: string; readonly groups: Int32Array<SharedArrayBuffer> };
const database = new DatabaseSync(path, { timeout: 0 });
const queue = new GroupQueue(database, path, 30_000, { committing: () => {}, committed: () => {} });
const insert = database.prepare('INSERT INTO entry VALUES (0)');

/** Writes without a pause, in transactions that hold the lock for some milliseconds, and counts them. */
for (;;) {
  await queue.add({
    run() {
      for (let i = 0; i < 3_000; i += 1) insert.run();
    },
    kinds: [],
    size: 200,
  });
  Atomics.add(groups, 0, 1);
  Atomics.store(groups, 1, 1);
  Atomics.notify(groups, 1);
}
