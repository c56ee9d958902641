import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import { quoted, silentLog, systemClock, type Change, type Store } from '../../../core/index.ts';
import { aRequest, insert } from '../../../plugin-testkit/storage/records.ts';
import { lockNumber } from '../../../plugins/storage-postgres/database/locks.ts';
import { times } from '../../../plugins/storage-postgres/database/times.ts';
import plugin from '../../../plugins/storage-postgres/index.ts';
import { testDatabase, type TestDatabase } from '../../support/postgres-database.ts';

let database: TestDatabase;
test.before(async () => {
  database = await testDatabase();
  Object.assign(times, { lockMs: 200, callMs: 1_000 });
});
test.after.always(() => database.remove());

/** A store, and another client that holds the lock of all that change requests. */
async function besideHolder(t: ExecutionContext): Promise<{ readonly store: Store; readonly release: () => unknown }> {
  const place = database.place();
  const open = plugin.storages?.[0]?.open(database.options(place), { clock: systemClock, log: silentLog });
  const store = (await open) ?? t.fail('The plugin has no driver.');
  const holder = new pg.Client({ connectionString: database.server.url });
  await holder.connect();
  t.teardown(() => Promise.all([store.close(), holder.end()]));
  await holder.query(`BEGIN; SELECT pg_advisory_xact_lock(${lockNumber(quoted(place), 'budgets')})`);
  return { store, release: () => holder.query('COMMIT') };
}

const refusedFor = async (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'nothing',
    ({ code, message }) => `${code}: ${message}`,
  );

const budget: Change = {
  op: 'budget',
  name: 'b',
  scope: {},
  bounds: { asked: { machines: 0, vcpus: 0, microusd: 0, unsized: 0, unpriced: 0 } },
};

const lockTimes = (n: number) => new Promise((resolve) => void setTimeout(resolve, n * times.lockMs));

test.serial('a lock that others hold for long is waited for once more', async (t) => {
  const { store, release } = await besideHolder(t);
  const served = store.commit([insert('request', aRequest('r-1'))]);
  served.catch(() => {});
  await lockTimes(1.5);
  await release();
  await t.notThrowsAsync(served);
  t.is((await store.find('request', {})).length, 1);
});

test.serial('what comes while a lock is waited for joins the second wait, and is refused with it', async (t) => {
  const { store } = await besideHolder(t);
  const first = refusedFor(store.commit([insert('request', aRequest('r-1'))]));
  await lockTimes(0.5);
  let refused = 'not yet';
  void refusedFor(store.commit([insert('request', aRequest('r-2'))])).then((reason) => (refused = reason));
  await lockTimes(1);
  t.is(refused, 'not yet');
  t.regex(await first, /^UNAVAILABLE: /);
  await new Promise((resolve) => void setImmediate(resolve));
  t.regex(refused, /^UNAVAILABLE: /);
});

test.serial('a lock that nobody releases refuses the calls that need it, and names the reason', async (t) => {
  const { store, release } = await besideHolder(t);
  const reasons = await Promise.all([
    refusedFor(store.commit([insert('request', aRequest('r-1'))])),
    refusedFor(store.commit([budget])),
  ]);
  for (const reason of reasons)
    t.regex(reason, /^UNAVAILABLE: .* other transactions hold its locks \(.*\)\. Try again later\.$/);
  t.is((await store.find('request', {})).length, 0, 'nothing is written, and reading needs no lock');
  await release();
  await store.commit([insert('request', aRequest('r-1')), budget]);
});
