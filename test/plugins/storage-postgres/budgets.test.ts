import test from 'ava';
import pg from 'pg';
import {
  nothingReserved,
  quoted,
  reservesText,
  scopeKey,
  silentLog,
  systemClock,
  type Change,
  type Store,
} from '../../../core/index.ts';
import { aRequest, insert, reserving } from '../../../plugin-testkit/storage/records.ts';
import { lockNumber } from '../../../plugins/storage-postgres/database/locks.ts';
import plugin from '../../../plugins/storage-postgres/index.ts';
import { testDatabase, type TestDatabase } from '../../support/postgres-database.ts';

let database: TestDatabase;
test.before(async () => {
  database = await testDatabase({ default_transaction_isolation: 'repeatable read' });
});
test.after.always(() => database.remove());

const openIn = (schema: string): Promise<Store> =>
  plugin.storages?.[0]?.open(database.options(schema), { clock: systemClock, log: silentLog }) ??
  Promise.reject(new Error('The plugin has no driver.'));

const asking = (id: string): readonly Change[] => [
  { op: 'budget', name: 'b', scope: {}, bounds: { max_machines: 5, asked: { ...nothingReserved, machines: 2 } } },
  insert('request', aRequest(id, { reserves: reserving(2) })),
];

test('a sum that the database lost, as by a restore, is learned again', async (t) => {
  const place = database.place();
  const store = await openIn(place);
  t.teardown(() => store.close());
  await store.commit(asking('r-1'));
  await database.run(`DELETE FROM ${place}.budget`);
  await t.throwsAsync(store.commit(asking('r-2')), { message: /is not known; try again/ });
  await store.commit(asking('r-2'));
  await t.throwsAsync(store.commit(asking('r-3')), { message: /Budget 'b' allows 5 machines; 4 machines are used/ });
});

test('an older muster that does not know the tags of a place learns the right sum', async (t) => {
  const place = database.place();
  const store = await openIn(place);
  t.teardown(() => store.close());
  const part = { ...nothingReserved, provider_instance: 'west', tags: { team: 'green' } };
  const reserves = reservesText({ tags: {}, parts: [{ ...part, machines: 3 }] });
  await store.commit([insert('request', aRequest('r-1', { reserves }))]);
  const scope = { tags: { team: 'green' } };
  // As the statement of a version without own tags: it found none.
  const values = `'${scopeKey(scope)}', NULL, NULL, NULL, '${JSON.stringify(scope.tags)}', 0, 0, 0, 0, 0`;
  await database.run(`INSERT INTO ${place}.budget SELECT ${values} ON CONFLICT DO NOTHING`);
  t.like(await store.reserved(scope), { machines: 3 });
});

test('a scope is summed up with what is committed meanwhile, whatever isolation the database has by default', async (t) => {
  const place = database.place();
  const store = await openIn(place);
  const other = new pg.Client({ connectionString: database.server.url });
  await other.connect();
  t.teardown(() => Promise.all([store.close(), other.end()]));
  await other.query('BEGIN');
  await other.query(`SELECT pg_advisory_xact_lock_shared(${lockNumber(quoted(place), 'budgets')})`);
  const { request_id, kind, status, created_at, ...more } = aRequest('r-1', { reserves: reserving(2) });
  await other.query(
    `INSERT INTO ${place}.request (request_id, kind, status, template_id, holds, created_at, reserves, doc) VALUES ($1, $2, $3, 'small', 2, $4, $5, $6)`,
    [
      request_id,
      kind,
      status,
      created_at,
      reserving(2),
      JSON.stringify({ request_id, kind, status, created_at, ...more }),
    ],
  );
  const committed = store.commit(asking('r-2'));
  const waiting = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`;
  while ((await database.run(waiting)).length === 0) await new Promise((resolve) => void setTimeout(resolve, 10));
  await other.query('COMMIT');
  await committed;
  t.like(await store.reserved({}), { machines: 4 });
});
