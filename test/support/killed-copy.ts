import { copyStorage } from '../../host/store/copy-storage.ts';
import { restoreStorage } from '../../host/store/restore-storage.ts';
import { thisBroker } from '../../host/process/this-broker.ts';
import postgres from '../../plugins/storage-postgres/index.ts';
import sqlite from '../../plugins/storage-sqlite/index.ts';
import type { StorageSnapshot, TransferEnd } from '../../core/index.ts';

/**
 * Copies a storage, and is killed at a point: `source fence after`, `page 3`. Arguments: the point, both storages as
 * JSON, and `restore` for a restore, which replaces what is there.
 */
const [point = '', storages = '[]', what = 'copy'] = process.argv.slice(2);
const [from, to] = JSON.parse(storages) as readonly { readonly type: string }[];

const endOf = (storage: { readonly type: string } | undefined): Promise<TransferEnd> => {
  const driver = (storage?.type === 'sqlite' ? sqlite : postgres).storages?.[0];
  return driver?.transfer?.(storage as never) ?? Promise.reject(new Error('There is no such storage.'));
};

function reached(now: string): void {
  if (now === point) process.kill(process.pid, 'SIGKILL');
}

const watched = (name: string, end: TransferEnd): TransferEnd =>
  new Proxy(end, {
    get(target, method) {
      const value = Reflect.get(target, method);
      if (typeof value !== 'function') return value;
      return async (...given: unknown[]) => {
        reached(`${name} ${String(method)} before`);
        if (method === 'receive') given[0] = pagesCounted(given[0] as StorageSnapshot);
        const result = await value.apply(target, given);
        reached(`${name} ${String(method)} after`);
        return result;
      };
    },
  });

let pages = 0;
async function* counted<T>(all: AsyncIterable<T>): AsyncIterable<T> {
  for await (const page of all) {
    pages += 1;
    reached(`page ${pages}`);
    yield page;
  }
}

const pagesCounted = (snapshot: StorageSnapshot): StorageSnapshot => ({
  numbers: snapshot.numbers,
  records: (kind) => counted(snapshot.records(kind)),
  epochs: (of) => counted(snapshot.epochs(of)),
  [Symbol.asyncDispose]: () => snapshot[Symbol.asyncDispose](),
});

const [source, target] = [watched('source', await endOf(from)), watched('target', await endOf(to))];
const self = thisBroker({ server: { port: 0 } } as never);
if (what === 'restore') await restoreStorage(source, target, true, self);
else await copyStorage(source, target, false, self);
