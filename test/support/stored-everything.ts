import { DatabaseSync } from 'node:sqlite';
import { kinds, quoted, shapes, type Change, type Kind, type Store } from '../../core/index.ts';
import {
  aBroker,
  aMachine,
  anAttempt,
  anEvent,
  aRequest,
  aSignal,
  aTemplate,
  insert,
} from '../../plugin-testkit/storage/records.ts';

/** Fills an empty store with records of every kind, in the states that are hard to copy. */
export async function storeEverything(store: Store, requests = 12): Promise<void> {
  const ids = Array.from({ length: requests }, (_, i) => `r-${i}`);
  for (const id of ids) {
    const changes: Change[] = [
      insert('request', aRequest(id, { message: 'große 机器 \ud83d\ude80'.repeat(20), status: 'in_progress' })),
      { op: 'insert', kind: 'attempt', record: anAttempt(1, { request_id: id, token: `t ${id}` }) },
      insert('machine', aMachine(`m-${id}`, { request_id: id, name: `host-${id}`, market: 'spot' })),
      insert('event', anEvent({ request_id: id, data: { at: 1.5, 'a"b': '\\u0000' } })),
      insert('event', anEvent({ data: {} })),
    ];
    await store.commit(changes);
  }
  const odd = 'odd \0 \u2028 "\' key';
  await store.commit([
    insert('request', aRequest(odd, { template_id: odd, status: 'completed', next_at: undefined as never })),
    insert('signal', aSignal('s-1', { request_id: 'r-1', applied: true })),
    insert('signal', aSignal('s-2', { request_id: 'r-2', return_id: 'r-3' })),
    insert('template', aTemplate('t-1')),
    { op: 'insert', kind: 'key', record: { scope: 'a', key: 'k', request_id: 'r-1', created_at: 5 } as never },
    {
      op: 'put',
      kind: 'fact',
      record: { topic: 'installation', name: '', item: '', value: '0123456789abcdef', at: 1 } as never,
    },
    { op: 'add', kind: 'fact', key: { topic: 'sum', name: 'n', item: 'i' }, amounts: { a: 2.5, b: 1 }, at: 7 },
  ]);
  await store.commit([{ op: 'update', kind: 'template', record: aTemplate('t-1', { updated_at: 9 }), version: 1 }]);
  // The first event, one between, and the last were removed: the next one has a number of its own.
  const events = await store.find('event', { order: [['seq', 'asc']] });
  const gone = [events[0], events[3], events.at(-1)];
  await store.commit(gone.map((each) => ({ op: 'delete', kind: 'event', key: { seq: each?.seq ?? 0 } })));
  // A broker died with claims, and one yielded.
  const dead = aBroker({ host: 'far' });
  const claims = await store.claim(dead, 4, 1);
  await store.yield(claims.slice(0, 1));
  for (let i = 0; i < 3; i += 1) {
    const job = await store.job(dead, 'sweep', 1);
    if (job) await store.freeJob(job);
  }
  await store.job(dead, 'retention', 1);
}

/** Runs SQL, and returns rows as arrays. */
export type Ask = (sql: string) => Promise<readonly (readonly unknown[])[]>;

/** Every row that a copy has to keep, as text. `prefix` stands before the name of a table. */
export async function rowsOf(ask: Ask, prefix = ''): Promise<Readonly<Record<string, readonly string[]>>> {
  const table = async (sql: string) => {
    const rows = await ask(sql);
    return rows.map((row) => row.map((value) => String(value).replaceAll('\0', '\ufffe')).join(' | ')).toSorted();
  };
  const all: Record<string, readonly string[]> = {};
  for (const [kind, { key, columns }] of Object.entries(kinds)) {
    const maintained = shapes[kind as Kind].maintained.filter((field) => !(key as readonly string[]).includes(field));
    const names = [...key, ...columns, ...maintained, 'doc'].map(quoted).join(', ');
    all[kind] = await table(`SELECT ${names} FROM ${prefix}${quoted(kind)}`);
  }
  all['claim'] = await table(`SELECT request_id, epoch FROM ${prefix}claim`);
  all['job'] = await table(`SELECT job, epoch FROM ${prefix}job`);
  all['counter'] = await table(
    `SELECT of, sort, status, n FROM ${prefix}counter WHERE of IN ('request', 'machine') AND n <> 0`,
  );
  return all;
}

/** SQL on a database file. */
export const askFile =
  (path: string): Ask =>
  async (sql) => {
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      const statement = database.prepare(sql);
      statement.setReturnArrays(true);
      return statement.all() as unknown as readonly (readonly unknown[])[];
    } finally {
      database.close();
    }
  };
