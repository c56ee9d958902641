import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { silentLog, systemClock, type Store } from '../../../core/index.ts';
import { aRequest, insert } from '../../../plugin-testkit/storage/records.ts';
import plugin from '../../../plugins/storage-postgres/index.ts';
import { testDatabase, type TestDatabase } from '../../support/postgres-database.ts';
import { runCli } from '../../support/run-cli.ts';
import { oneOfMany } from '../../support/temporary-directory.ts';

let plain: TestDatabase;
let database: TestDatabase;
const files = oneOfMany('muster-tls-');
const at = (name: string) => join(files, name);

test.before(async () => {
  for (const each of ['right', 'wrong']) authority(each);
  certificate('server', 'right', 'localhost');
  certificate('client', 'right', 'muster');
  // The user that the server runs as reads them.
  for (const directory of [files, dirname(files)]) chmodSync(directory, 0o755);
  for (const name of ['server.pem', 'server.key', 'right-ca.pem']) chownToServer(at(name));
  chmodSync(at('server.key'), 0o600);
  plain = await testDatabase();
  database = await testDatabase({
    ssl: 'on',
    ssl_cert_file: at('server.pem'),
    ssl_key_file: at('server.key'),
    ssl_ca_file: at('right-ca.pem'),
  });
});
test.after.always(() => Promise.all([plain?.remove(), database?.remove()]));

const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: files, stdio: 'pipe' });
/** The user of the tests' server, when the tests run as root. */
const chownToServer = (file: string) => process.getuid?.() === 0 && chownSync(file, 65_534, 65_534);

function authority(name: string): void {
  const made = ['-keyout', `${name}-ca.key`, '-out', `${name}-ca.pem`];
  openssl('req', '-x509', ...curve, '-days', '2', '-subj', `/CN=${name}`, ...made);
}

function certificate(name: string, by: string, host: string): void {
  openssl('req', ...curve, '-subj', `/CN=${host}`, '-keyout', `${name}.key`, '-out', `${name}.csr`);
  writeFileSync(at(`${name}.ext`), `subjectAltName=DNS:${host}\n`);
  const signed = ['-CA', `${by}-ca.pem`, '-CAkey', `${by}-ca.key`, '-CAcreateserial', '-days', '2'];
  openssl('x509', '-req', '-in', `${name}.csr`, ...signed, '-extfile', `${name}.ext`, '-out', `${name}.pem`);
}

const secret = 'geheimes-wort';
const url = ({ server }: TestDatabase, host: string, query = '') =>
  `postgres://muster:${secret}@${host}:${server.port}/postgres${query}`;

const opened = (options: object): Promise<Store> =>
  plugin.storages?.[0]?.open(options, { clock: systemClock, log: silentLog }) ??
  Promise.reject(new Error('No driver.'));

async function works(t: ExecutionContext, options: object): Promise<void> {
  const schema = database.place();
  const store = await opened({ ...database.options(schema), ...options });
  await store.commit([insert('request', aRequest('r-1'))]);
  const [own] = await database.run(
    `SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'muster' AND ssl`,
  );
  t.true(Number(own?.[0]) > 0);
  await store.close();
}

test.serial('an encrypted connection checks the certificate of the server, and may show its own', async (t) => {
  const localhost = url(database, 'localhost');
  await works(t, { url: localhost, tls: { verify: true, ca_file: at('right-ca.pem') } });
  await works(t, { url: url(database, '127.0.0.1'), tls: { verify: false } });
  const own = { cert_file: at('client.pem'), key_file: at('client.key') };
  await works(t, { url: localhost, tls: { verify: true, ca_file: at('right-ca.pem'), ...own } });
  await works(t, { url: `${localhost}?sslmode=verify-full&sslrootcert=${at('right-ca.pem')}` });
  // The section of the configuration stands above the URL.
  await works(t, { url: `${localhost}?sslmode=no-verify`, tls: { verify: true, ca_file: at('right-ca.pem') } });
  await works(t, { url: `${localhost}?sslmode=no-verify` });
});

test.serial('a certificate that is not trusted is refused with the remedy, and without the password', async (t) => {
  const localhost = url(database, 'localhost');
  const wrong = { verify: true, ca_file: at('wrong-ca.pem') };
  const cases: readonly (readonly [object, RegExp])[] = [
    [{ url: localhost, tls: wrong }, /not trusted \(.*certificate.*'storage\.tls\.ca_file'/],
    [{ url: localhost, tls: { verify: true } }, /not trusted \(.*'storage\.tls\.ca_file'/],
    [{ url: `${localhost}?sslmode=require` }, /not trusted \(.*'storage\.tls\.ca_file'/],
    [{ url: `${localhost}?sslmode=no-verify`, tls: wrong }, /not trusted/],
    [
      { url: url(database, '127.0.0.1'), tls: { verify: true, ca_file: at('right-ca.pem') } },
      /certificate is for another name.*'storage\.url'/,
    ],
    [{ url: url(plain, 'localhost'), tls: { verify: true } }, /does not support TLS.*'ssl'/],
    [{ url: localhost, tls: { verify: true, ca_file: at('none.pem') } }, /'storage\.tls\.ca_file' cannot be read/],
    [{ url: `${localhost}?sslrootcert=${at('none.pem')}` }, /'sslrootcert' cannot be read/],
  ];
  for (const [options, message] of cases) {
    const error: any = await opened({ ...database.options('muster'), ...options }).then(
      (store) => store.close(),
      (reason: unknown) => reason,
    );
    t.regex(String(error?.message), message);
    t.notRegex(JSON.stringify([error?.message, error?.details, String(error?.cause?.stack)]), new RegExp(secret));
    // A start does not wait for it.
    if (error.code === 'UNAVAILABLE') await plugin.storages?.[0]?.reach?.({ ...database.options('x'), ...options });
  }
});

test.serial('the variables of PostgreSQL name the database, and the command line shows no password', async (t) => {
  const names = {
    PGHOST: 'localhost',
    PGPORT: String(database.server.port),
    PGDATABASE: 'postgres',
    PGUSER: 'muster',
    PGPASSWORD: secret,
    PGSSLMODE: 'verify-full',
    PGSSLROOTCERT: at('right-ca.pem'),
  };
  const before = { ...process.env };
  Object.assign(process.env, names);
  t.teardown(() => {
    for (const name of Object.keys(names)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  });
  const config = join(files, 'muster.config.json');
  writeFileSync(config, JSON.stringify({ storage: { type: 'postgres', schema: 'from_variables' } }));
  const run = (...args: string[]) => runCli([...args, '--config', config, '--output', 'json']);
  const migrated = await run('storage', 'migrate');
  t.is(migrated.code, 0, migrated.err);
  t.regex(JSON.parse(migrated.out).path, /^postgres at localhost:\d+ \(schema from_variables\)$/);
  const checked = await run('storage', 'check');
  t.is(checked.code, 0, checked.err);
  process.env['PGSSLROOTCERT'] = at('wrong-ca.pem');
  const refused = await run('storage', 'check');
  t.is(refused.code, 5);
  t.regex(refused.err, /not trusted/);
  const shown = await run('config', 'show');
  t.notRegex([migrated, checked, refused, shown].map(({ out, err }) => out + err).join(), new RegExp(secret));
});
