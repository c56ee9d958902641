import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import plugin from '../../../plugins/storage-postgres/index.ts';
import { testStorage } from '../../../plugin-testkit/index.ts';
import { testDatabase } from '../../support/postgres-database.ts';
import { freePort } from '../../support/postgres-server.ts';
import { oneOfMany } from '../../support/temporary-directory.ts';

/** PGBOUNCER names the program where it is not in the PATH. */
const program = process.env['PGBOUNCER'] ?? 'pgbouncer';

function version(): string | undefined {
  try {
    return /PgBouncer (\S+)/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' }))?.[1];
  } catch {
    return undefined;
  }
}

const found = version();
if (found === undefined) {
  test.skip('PgBouncer is not installed: the storage behind a pooler was NOT tested; install it, or set PGBOUNCER', () => {});
} else {
  const { server, place, options, setTime, remove } = await testDatabase();
  const port = await freePort();
  const directory = oneOfMany('muster-pgbouncer-');
  const isRoot = process.getuid?.() === 0;
  for (const each of [directory, dirname(directory)]) chmodSync(each, 0o755);
  if (isRoot) chownSync(directory, 65_534, 65_534);
  const file = join(directory, 'pgbouncer.ini');
  writeFileSync(
    file,
    [
      '[databases]',
      `postgres = host=127.0.0.1 port=${server.port} user=muster`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = any',
      'pool_mode = transaction',
      'default_pool_size = 8',
      'max_client_conn = 1000',
      ...(Number(found.split('.')[1]) >= 21 ? ['max_prepared_statements = 600'] : []),
    ].join('\n'),
  );
  const pooler = spawn(program, [file], {
    ...(isRoot ? { uid: 65_534, gid: 65_534 } : {}),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  pooler.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  while (!/process up/.test(output)) await once(pooler.stderr, 'data');
  test.after.always(async () => {
    pooler.kill('SIGQUIT');
    await remove();
  });

  /** Starts processes, or takes long. */
  const left = /a hundred thousand|leaves nothing behind, wherever/;
  // One check after another: all at once need more connections than a busy host opens in time.
  testStorage({
    test: Object.assign(
      (title: string, body: (t: any) => Promise<void>) => left.test(title) || test.serial(title, body),
      {
        todo: () => {},
      },
    ),
    plugin: () => plugin,
    place,
    options: (schema) => ({
      ...options(schema),
      url: `postgres://muster@127.0.0.1:${port}/postgres?application_name=${schema}`,
      listen: false,
      poll_ms: 100,
    }),
    // Without `interrupt`: the connections behind the pooler serve all checks.
    setTime,
  });
}
