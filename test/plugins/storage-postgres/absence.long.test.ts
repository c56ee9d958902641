import { createHash } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { targetOf } from '../../../plugins/storage-postgres/connections/client-config.ts';
import { Connection } from '../../../plugins/storage-postgres/connections/connection.ts';
import { isConflict } from '../../../plugins/storage-postgres/database/failures.ts';
import { isBrokerError, silentLog, systemClock, type Store } from '../../../core/index.ts';
import { aRequest, insert } from '../../../plugin-testkit/storage/records.ts';
import plugin from '../../../plugins/storage-postgres/index.ts';
import { databaseWay, type DatabaseWay } from '../../support/database-way.ts';
import { testDatabase, type TestDatabase } from '../../support/postgres-database.ts';

let database: TestDatabase;
test.before(async () => {
  database = await testDatabase();
});
test.after.always(() => database.remove());

const driver = plugin.storages?.[0];
const openAt = (options: object): Promise<Store> =>
  driver?.open(options, { clock: systemClock, log: silentLog }) ?? Promise.reject(new Error('There is no driver.'));

async function refused(t: ExecutionContext, promise: Promise<unknown>): Promise<Error & { details: any }> {
  const error = await promise.then(
    () => t.fail('It was not refused.'),
    (reason: unknown) => reason,
  );
  if (!isBrokerError(error)) throw error;
  t.is(error.code, 'UNAVAILABLE', error.message);
  return error as Error & { details: any };
}

/** A way to the database that can be disturbed, and its URL. */
async function wayTo(t: ExecutionContext): Promise<{ readonly way: DatabaseWay; readonly url: string }> {
  const way = await databaseWay(database.server.port);
  t.teardown(() => way[Symbol.dispose]());
  return { way, url: `postgres://muster@127.0.0.1:${way.port}/postgres` };
}

test('a silent database is as good as an absent one: each call is refused, and it goes on when the database answers', async (t) => {
  const { way, url } = await wayTo(t);
  const store = await openAt({ ...database.options(database.place()), url });
  t.teardown(() => store.close());
  await store.commit([insert('request', aRequest('r-1'))]);
  way.passes = 'silent';
  const [sent, waiting, read] = await Promise.all([
    refused(t, store.commit([insert('request', aRequest('r-2'))])),
    new Promise<void>((resolve) => setTimeout(resolve, 50)).then(() =>
      refused(t, store.commit([insert('request', aRequest('r-3'))])),
    ),
    refused(t, store.get('request', { request_id: 'r-1' })),
  ]);
  t.is(sent.details.outcome, 'unknown');
  t.is(waiting.details.outcome, undefined);
  t.regex(read.message, /no (answer for|connection within) \d/);
  way.passes = 'open';
  way.cut();
  await store.commit([insert('request', aRequest('r-4'))]);
  t.is((await store.find('request', { where: { request_id: 'r-3' } })).length, 0);
  await store.ready?.();
});

test('a commit whose connection is lost is refused with an unknown outcome, and one that was not sent without', async (t) => {
  const { way, url } = await wayTo(t);
  const store = await openAt({ ...database.options(database.place()), url });
  t.teardown(() => store.close());
  await store.commit([insert('request', aRequest('r-1'))]);
  way.passes = 'silent';
  const sent = refused(t, store.commit([insert('request', aRequest('r-2'))]));
  await new Promise((resolve) => void setTimeout(resolve, 100));
  way.cut();
  t.is((await sent).details.outcome, 'unknown');
});

test('a database that is not there refuses the start and says where it was sought, without the password', async (t) => {
  const url = 'postgres://muster:geheim@127.0.0.1:1/nowhere';
  const error = await refused(t, openAt({ ...database.options('muster'), url }));
  t.true(error.details.absent);
  t.regex(error.message, /nowhere at 127\.0\.0\.1:1 \(schema muster\).*ECONNREFUSED/);
  t.false(error.message.includes('geheim'));
});

test.serial('a connection that a pooler exchanges behind a prepared statement goes on without names', async (t) => {
  const { config } = await targetOf(database.options('muster'));
  const connection = await Connection.open(config, { prepares: true });
  t.teardown(() => connection.close());
  const statement = { text: 'SELECT $1::bigint', values: [7] };
  t.deepEqual(await connection.run([statement]), [[[7]]]);
  const [names = []] = await connection.run([{ text: 'SELECT name, statement FROM pg_prepared_statements' }]);
  t.is(names.length, 1);
  // In every process the name of a text is the same, and of no other text.
  t.is(names[0]?.[0], `muster_${createHash('sha256').update(statement.text).digest('hex').slice(0, 40)}`);
  await connection.run([{ text: 'DEALLOCATE ALL' }]);
  const error = await t.throwsAsync(connection.run([statement]));
  t.true(isConflict(error), 'it is repeated');
  t.deepEqual(await connection.run([statement]), [[[7]]]);
});
