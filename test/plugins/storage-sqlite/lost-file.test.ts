import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { silentLog, systemClock, type Store } from '../../../core/index.ts';
import plugin from '../../../plugins/storage-sqlite/index.ts';
import { aBroker, aRequest, insert } from '../../../plugin-testkit/storage/records.ts';
import { freshPath, openFile } from '../../support/storage-sqlite-file.ts';

const write = (store: Store, id: string) => store.commit([insert('request', aRequest(id))]);

async function filled(): Promise<{ readonly path: string; readonly store: Store }> {
  const path = freshPath();
  const store = await openFile(path);
  await write(store, 'r-1');
  return { path, store };
}

/** Refused within some seconds, by every way to write; what was written before can still be read. */
async function refuses(t: ExecutionContext, store: Store, says: RegExp): Promise<void> {
  const refusal = { code: 'UNAVAILABLE', message: says };
  await t.throwsAsync(store.ready?.() ?? Promise.resolve(), refusal);
  for (let i = 0; i < 40; i += 1) {
    if (
      await write(store, `late-${i}`).then(
        () => false,
        () => true,
      )
    )
      break;
    await after(50);
  }
  await t.throwsAsync(write(store, 'later'), refusal);
  await t.throwsAsync(store.claim(aBroker(), 1, 1_000), refusal);
  t.is((await store.get('request', { request_id: 'r-1' }))?.request_id, 'r-1');
}

test('a database whose directory was removed is not written any more, and is none again when it closes', async (t) => {
  const { path, store } = await filled();
  rmSync(dirname(path), { recursive: true });
  await refuses(t, store, /muster\.db was removed or moved while muster runs.*put the file back, or restart/);
  await store.close();
  t.false(existsSync(dirname(path)));
});

test('a database that is put back is written again', async (t) => {
  const { path, store } = await filled();
  renameSync(dirname(path), `${dirname(path)}.away`);
  await refuses(t, store, /removed or moved/);
  renameSync(`${dirname(path)}.away`, dirname(path));
  await store.ready?.();
  await write(store, 'r-2');
  await store.close();
  const again = await openFile(path);
  t.truthy(await again.get('request', { request_id: 'r-2' }));
  await again.close();
});

test('a database that another one took the place of is not written any more, and does the other one no harm', async (t) => {
  const { path, store } = await filled();
  rmSync(dirname(path), { recursive: true });
  const other = await openFile(path);
  await write(other, 'theirs');
  const before = readdirSync(dirname(path)).map((name) => [name, readFileSync(`${dirname(path)}/${name}`)]);
  await refuses(t, store, /muster\.db was replaced by another file while muster runs/);
  await store.close();
  t.deepEqual(
    readdirSync(dirname(path)).map((name) => [name, readFileSync(`${dirname(path)}/${name}`)]),
    before,
  );
  await write(other, 'theirs too');
  await other.close();
});

test('a database whose log was removed or replaced is not written any more', async (t) => {
  for (const [change, says] of [
    [(path: string) => rmSync(`${path}-wal`), /muster\.db-wal was removed/],
    [
      (path: string) => {
        writeFileSync(`${path}-new`, '');
        renameSync(`${path}-new`, `${path}-wal`);
      },
      /muster\.db-wal was replaced/,
    ],
  ] as const) {
    const { path, store } = await filled();
    change(path);
    await refuses(t, store, says);
    await store.close();
  }
});

test('a directory that became a file is as good as removed', async (t) => {
  const { path, store } = await filled();
  renameSync(dirname(path), `${dirname(path)}.away`);
  writeFileSync(dirname(path), '');
  await refuses(t, store, /removed or moved/);
  await store.close();
});

test('the loss is logged once, and so is its end', async (t) => {
  const path = freshPath();
  const told: string[] = [];
  const tell = (_: object, message: string) => void told.push(message);
  const [driver] = plugin.storages ?? [];
  const store = (await driver?.open(
    { path },
    { clock: systemClock, log: { ...silentLog, error: tell, info: tell } },
  )) as Store;
  told.length = 0;
  renameSync(dirname(path), `${dirname(path)}.away`);
  for (let i = 0; i < 9; i += 1) await store.ready?.().catch(() => {});
  renameSync(`${dirname(path)}.away`, dirname(path));
  await store.ready?.();
  t.is(told.length, 2, told.join('\n'));
  t.regex(told[0] ?? '', /removed or moved/);
  t.regex(told[1] ?? '', /can be written again/);
  await store.close();
});
