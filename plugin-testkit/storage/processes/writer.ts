import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { isMainThread, workerData } from 'node:worker_threads';
import { isBrokerError, silentLog, systemClock, type Plugin, type Store } from '../../../core/index.ts';
import { aBroker, aMachine, aRequest, insert } from '../records.ts';
import { driverOf } from '../subject.ts';

/**
 * The task of a process or thread that writes at the same time as others. After each answer the writer prints a line
 * that acknowledges it.
 * - `once`: commits once and kills itself at the answer
 * - `forever`: inserts requests until it is killed
 * - `raise`: raises the shared counter, a template, by optimistic updates, and inserts a request each time
 * - `work`: claims requests, works on each and yields it, until each was worked on `times` times
 * - `open`: opens and closes; `leave`: opens, watches and does not close
 */
export interface Task {
  readonly module: string;
  readonly type: string | undefined;
  readonly options: Readonly<Record<string, unknown>>;
  readonly name: string;
  readonly act: 'once' | 'forever' | 'raise' | 'work' | 'open' | 'leave';
  readonly times: number;
}

async function act({ module, type, options, name, act: what, times }: Task): Promise<void> {
  const { default: plugin } = (await import(module)) as { readonly default: Plugin };
  const store = await driverOf({ plugin: () => plugin, ...(type === undefined ? {} : { type }) }).open(options, {
    clock: systemClock,
    log: silentLog,
  });
  if (what === 'leave') return void store.watch(() => {});
  if (what === 'once') await once(store, name);
  if (what === 'forever') await forever(store, name);
  if (what === 'raise') await Promise.all(Array.from({ length: 4 }, () => raiseTimes(store, name, times / 4)));
  if (what === 'work') await work(store, name, times);
  await store.close();
}

async function once(store: Store, name: string): Promise<void> {
  await store.commit([
    insert('request', aRequest(name)),
    insert('machine', aMachine(name)),
    insert('event', { at: 1, type: name, data: {} }),
  ]);
  tell(name);
  process.kill(process.pid, 'SIGKILL');
}

async function forever(store: Store, name: string): Promise<never> {
  const one = async (id: string): Promise<void> => {
    await store.commit([insert('request', aRequest(id)), insert('event', { at: 1, type: id, data: {} })]);
    tell(id);
  };
  for (let i = 0; ; i += 8) await Promise.all(Array.from({ length: 8 }, (_, j) => one(`${name}-${i + j}`)));
}

async function raiseTimes(store: Store, name: string, times: number): Promise<void> {
  for (let i = 0; i < times; i += 1) while (!(await raised(store, name)));
}

async function raised(store: Store, name: string): Promise<boolean> {
  const read = await store.get('template', { template_id: 'counter' });
  if (!read) throw new Error('There is no counter.');
  const record = { ...read, fields: { n: Number(read.fields['n']) + 1 } };
  try {
    await store.commit([
      { op: 'update', kind: 'template', record, version: read.version },
      insert('request', aRequest(`${name}-${record.fields.n}`)),
    ]);
    return true;
  } catch (error) {
    if (isBrokerError(error) && error.code === 'CONFLICT') return false;
    throw error;
  }
}

/** Prints `<request> <epoch> <previous worker>` for each claim; the last must be empty. */
async function work(store: Store, name: string, times: number): Promise<void> {
  // A broker of a separate host: others cannot know whether it is alive, so its leases count.
  const broker = aBroker({ host: name });
  while ((await store.count('request', { next_at: { before: Number.MAX_SAFE_INTEGER } })) > 0) {
    const claims = await store.claim(broker, 3, 60_000);
    for (const { request_id, epoch } of claims) {
      const read = await store.get('request', { request_id });
      if (!read) throw new Error(`'${request_id}' was claimed and is not there.`);
      tell(`${request_id} ${epoch} ${read.message}`);
      const fence = { op: 'fence', request_id, epoch } as const;
      await store.commit([fence, { op: 'put', kind: 'request', record: { ...read, message: name } }]);
      await pause(1);
      const delivered = read.delivered + 1;
      const next_at = delivered === times ? null : read.next_at;
      await store.commit([
        fence,
        { op: 'put', kind: 'request', record: { ...read, delivered, next_at, message: '' } },
      ]);
    }
    await store.yield(claims);
    if (claims.length === 0) await pause(5);
  }
}

/** Written synchronously, so that a later kill cannot undo it. */
const tell = (line: string): void => void writeSync(1, `${line}\n`);

await act(isMainThread ? (JSON.parse(process.argv[2] ?? '{}') as Task) : (workerData as Task));
