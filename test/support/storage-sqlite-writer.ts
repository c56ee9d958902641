import type { Store } from '../../core/index.ts';
import { aRequest, insert } from '../../plugin-testkit/storage/records.ts';
import { openFile } from './storage-sqlite-file.ts';

/**
 * A process that writes beside others, as a test tells it.
 * - `forever`: inserts requests and prints the id of each after its commit resolved, until it is killed
 * - `hold`: takes the write lock for some milliseconds
 */
export interface Task {
  readonly path: string;
  readonly name: string;
  readonly act: 'forever' | 'hold';
  readonly times: number;
}

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
  await insertForever(await openFile(path), name);
}

const tell = (text: string): void => void process.stdout.write(`${text}\n`);

await work(JSON.parse(process.argv[2] ?? '{}') as Task);
