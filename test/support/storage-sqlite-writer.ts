import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { isBrokerError, type Store } from '../../core/index.ts';
import { aRequest, insert } from './storage-records.ts';
import { openFile } from './storage-sqlite-file.ts';

/**
 * A process or thread that writes beside others, as a test tells it.
 * - `raise`: raises the shared counter, a template, by optimistic updates, and inserts a request each time
 * - `forever`: inserts requests and prints the id of each after its commit resolved, until it is killed
 * - `hold`: takes the write lock for some milliseconds
 * - `open`: opens and closes; `leave`: opens, watches and does not close
 */
export interface Task {
  readonly path: string;
  readonly name: string;
  readonly act: 'raise' | 'forever' | 'hold' | 'open' | 'leave';
  readonly times: number;
}

const raise = async (store: Store, name: string): Promise<void> => {
  const read = await store.get('template', { template_id: 'counter' });
  if (!read) throw new Error('There is no counter.');
  const record = { ...read, fields: { n: Number(read.fields['n']) + 1 } };
  try {
    await store.commit([
      { op: 'update', kind: 'template', record, version: read.version },
      insert('request', aRequest(`${name}-${record.fields.n}`)),
    ]);
  } catch (error) {
    if (!isBrokerError(error) || error.code !== 'CONFLICT') throw error;
    await raise(store, name);
  }
};

async function hold(path: string, ms: number): Promise<void> {
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(path);
  database.exec('BEGIN IMMEDIATE');
  tell('held');
  await new Promise((resolve) => setTimeout(resolve, ms));
  database.exec('COMMIT');
  database.close();
}

async function insertForever(store: Store, name: string): Promise<never> {
  const one = async (id: string): Promise<void> => {
    await store.commit([insert('request', aRequest(id)), insert('event', { at: 1, type: id, data: {} })]);
    tell(id);
  };
  for (let i = 0; ; i += 8) await Promise.all(Array.from({ length: 8 }, (_, j) => one(`${name}-${i + j}`)));
}

async function work({ path, name, act, times }: Task): Promise<void> {
  if (act === 'hold') return hold(path, times);
  const store = await openFile(path);
  if (act === 'leave') return void store.watch(() => {});
  if (act === 'raise') {
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let i = 0; i < times / 4; i += 1) await raise(store, name);
      }),
    );
  }
  if (act === 'forever') await insertForever(store, name);
  await store.close();
  tell('done');
}

const tell = (text: string): void => {
  if (isMainThread) process.stdout.write(`${text}\n`);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads has no origin
  else parentPort?.postMessage(text);
};

if (isMainThread) await work(JSON.parse(process.argv[2] ?? '{}') as Task);
else await work(workerData as Task);
