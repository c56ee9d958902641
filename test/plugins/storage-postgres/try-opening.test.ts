import test from 'ava';
import { silentLog, systemClock } from '../../../core/index.ts';
import { tryStorage } from '../../../host/store/try-storage.ts';
import plugin from '../../../plugins/storage-postgres/index.ts';
import type { PostgresOptions } from '../../../plugins/storage-postgres/options.ts';
import { testDatabase, type TestDatabase } from '../../support/postgres-database.ts';

let database: TestDatabase;
test.before(async () => {
  database = await testDatabase();
});
test.after.always(() => database.remove());

const tried = (options: PostgresOptions): Promise<void> =>
  tryStorage({ configuration: { storage: { type: 'postgres', ...options } }, plugins: [plugin] } as never);

test('a try finds what would refuse the start, and says the same', async (t) => {
  const options = (schema: string) => database.options(schema);
  const foreign = database.place();
  await database.run(`CREATE SCHEMA ${foreign}`);
  await database.run(`CREATE TABLE ${foreign}.other ()`);
  const url = database.server.url;
  const wrong: readonly PostgresOptions[] = [
    { ...options(database.place()), url: url.replace('muster@', 'nobody@') },
    { ...options(database.place()), url: `${url}_none` },
    { ...options(database.place()), migrate: false },
    options(foreign),
  ];
  for (const each of wrong) {
    const opening = plugin.storages?.[0]?.open(each, { clock: systemClock, log: silentLog });
    const refused = await t.throwsAsync<Error & { code: string }>(opening ?? Promise.resolve());
    await t.throwsAsync(tried(each), { message: refused?.message, code: refused?.code });
  }
});

test('a try of a database without tables creates none', async (t) => {
  const schema = database.place();
  await t.notThrowsAsync(tried(database.options(schema)));
  t.deepEqual(await database.run(`SELECT nspname FROM pg_namespace WHERE nspname = '${schema}'`), []);
});

test('a try says that a start would wait for a database that is away', async (t) => {
  const away = { ...database.options(database.place()), url: 'postgres://muster:geheim@127.0.0.1:1/nowhere' };
  const error = await t.throwsAsync<Error & { code: string }>(tried(away));
  t.is(error?.code, 'UNAVAILABLE');
  t.regex(error?.message ?? '', /^A start would wait for its storage\. The database nowhere at 127\.0\.0\.1:1/);
  t.false(error?.message.includes('geheim'));
});
