import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import { silentLog, systemClock, type BrokerError, type Store } from '../../../core/index.ts';
import plugin from '../../../plugins/storage-postgres/index.ts';
import { postgresServer, type PostgresServer } from '../../support/postgres-server.ts';
import { oneOfMany } from '../../support/temporary-directory.ts';

const files = oneOfMany('muster-hba-');
const rules = [
  'host all muster 127.0.0.1/32 trust',
  'host all weak 127.0.0.1/32 trust',
  'host all asked 127.0.0.1/32 scram-sha-256',
  'hostssl all encrypted 127.0.0.1/32 scram-sha-256',
];
let server: PostgresServer;
const driver = plugin.storages![0]!;
const defaults = { schema: 'muster', pool: 10, listen: true, poll_ms: 1_000, migrate: true };
const url = (user: string, query = '') => `postgres://${user}@127.0.0.1:${server.port}/postgres${query}`;

async function asOwner(...statements: readonly string[]): Promise<readonly any[]> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    let rows: readonly any[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
}

test.before(async () => {
  const hba = join(files, 'pg_hba.conf');
  writeFileSync(hba, `${rules.join('\n')}\n`);
  for (const directory of [files, dirname(files)]) chmodSync(directory, 0o755);
  if (process.getuid?.() === 0) chownSync(hba, 65_534, 65_534);
  server = await postgresServer({ hba_file: hba });
  await asOwner(
    "CREATE ROLE asked LOGIN PASSWORD 'geheim'",
    "CREATE ROLE encrypted LOGIN PASSWORD 'geheim'",
    'CREATE ROLE weak LOGIN',
  );
});
test.after.always(() => server?.remove());

const open = (options: object): Promise<Store> =>
  driver.open({ ...defaults, ...options }, { clock: systemClock, log: silentLog });

/** The refusal of a start with these options, which does not wait. */
async function refusalOf(t: ExecutionContext, options: object): Promise<BrokerError> {
  const error = await t.throwsAsync<BrokerError>(open(options));
  if (error?.code !== 'INVALID_CONFIGURATION')
    await t.notThrowsAsync(async () => driver.reach?.({ ...defaults, ...options }));
  t.falsy(error?.details?.['absent']);
  return error as BrokerError;
}

test.serial('a database that asks for a password that nobody gave is not absent', async (t) => {
  const { message } = await refusalOf(t, { url: url('asked') });
  t.regex(message, /it asks for a password, and none is given\. Set it in 'storage\.url'.*PGPASSWORD/);
  t.regex((await refusalOf(t, { url: url('asked:falsch') })).message, /Correct the user or the password/);
});

test.serial('a database that wants encryption says so', async (t) => {
  const { message } = await refusalOf(t, { url: url('encrypted:geheim') });
  t.regex(message, /no encryption.*Set 'storage\.tls', or add \?sslmode=verify-full to the URL/);
});

test.serial('a user without the right to create a schema gets the statement that gives it', async (t) => {
  const { message } = await refusalOf(t, { url: url('weak') });
  t.regex(message, /CREATE SCHEMA muster AUTHORIZATION/);
});

test.serial('what a URL says is used or refused, and never ignored', async (t) => {
  const refused = async (options: object, message: RegExp) => t.regex((await refusalOf(t, options)).message, message);
  await refused({ url: url('muster', '?schema=second') }, /names the schema 'second'.*'storage\.schema'.*'muster'/);
  await refused({ url: url('muster', '?sslmode=bogus') }, /sslmode 'bogus' is unknown.*verify-full/);
  await refused({ url: `postgres://muster:a/b@127.0.0.1:${server.port}/postgres` }, /percent-encoded/);
  const store = await open({ url: url('muster', '?schema=second'), schema: 'second' });
  await store.find('template', {});
  const names = await asOwner("SELECT application_name FROM pg_stat_activity WHERE application_name <> ''");
  t.true(
    names.some(({ application_name }) => application_name === 'muster'),
    JSON.stringify(names),
  );
  await store.close();
});

test.serial('tables without their version are refused, and left as they are', async (t) => {
  await (await open({ url: url('muster'), schema: 'cut' })).close();
  await asOwner('DELETE FROM cut.migration');
  const { message } = await refusalOf(t, { url: url('muster'), schema: 'cut' });
  t.regex(message, /has tables of muster, but not their version.*Restore/);
  await asOwner('DROP TABLE cut.migration');
  t.regex((await refusalOf(t, { url: url('muster'), schema: 'cut' })).message, /another program|not their version/);
});
