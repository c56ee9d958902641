import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { isTaken } from '../../../host/data-directory/data-directory.ts';
import { emptyPlace } from '../../support/background.ts';
import { until } from '../../support/boot-broker.ts';
import { freePort, postgresServer } from '../../support/postgres-server.ts';
import { execCli, launcher, type Ran } from '../../support/run-cli.ts';

interface WaitingPlace {
  readonly directory: string;
  readonly data: string;
  muster(...args: string[]): Promise<Ran>;
  status(): Promise<Readonly<Record<string, unknown>>>;
  /** Starts a server in the foreground, and waits until it has said that it waits. */
  waiting(...options: string[]): Promise<ChildProcess>;
}

/** A place whose database is away. */
async function placeWithout(t: ExecutionContext, port: number): Promise<WaitingPlace> {
  const directory = await emptyPlace(t);
  const url = `postgres://muster@127.0.0.1:${port}/postgres`;
  const configuration = {
    storage: { type: 'postgres', url },
    server: { port: 0 },
  };
  writeFileSync(join(directory, 'muster.config.json'), JSON.stringify(configuration));
  const muster = (...args: string[]) => execCli(args, { cwd: directory });
  const status = async () => JSON.parse((await muster('server', 'status', '--output', 'json')).out);
  const waiting = async (...options: string[]) => {
    const child = spawn(launcher, ['server', 'start', '--foreground', ...options], {
      cwd: directory,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    t.teardown(() => child.kill('SIGKILL'));
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await until(async () => /muster waits with its start/.test(said));
    await until(async () => (await status())['status'] === 'waiting');
    return child;
  };
  return { directory, data: join(directory, 'data'), muster, status, waiting };
}

test('a server that waits for its database is shown, is the only one, and is stopped', async (t) => {
  const { data, muster, status } = await placeWithout(t, await freePort());
  const started = await muster('server', 'start');
  t.is(started.code, 5);
  const [, pid = ''] =
    /the server \(pid (\d+)\) has not answered within 15 s: it waits with its start\. The database /.exec(
      started.err,
    ) ?? [];
  t.truthy(pid, started.err);
  t.like(await status(), { status: 'waiting', pid: Number(pid), data_directory: data });
  t.regex(String((await status())['reason']), /cannot serve: there is no connection/);
  t.is((await muster('server', 'status')).code, 5);
  for (const again of [['start'], ['start', '--foreground']]) {
    const { code, err } = await muster('server', ...again);
    t.is(code, 4, err);
    t.regex(err, new RegExp(`Another server \\(pid ${pid}\\) waits with its start on the data directory`));
  }
  const reloaded = await muster('server', 'reload');
  t.is(reloaded.code, 4, reloaded.err);
  t.regex(reloaded.err, /has not started yet/);
  const restarted = await muster('server', 'restart');
  t.is(restarted.code, 5, restarted.err);
  t.regex(restarted.err, /would wait[^]*nothing was stopped: the server \(pid \d+\) continues unchanged/);
  const stopped = await muster('server', 'stop');
  t.is(stopped.code, 0, stopped.err);
  t.regex(stopped.out, new RegExp(`The server \\(pid ${pid}\\) has ended`));
  t.false(isTaken(data));
  t.false(existsSync(join(data, 'server.starting.json')));
  t.is((await status())['status'], 'stopped');
});

test('a server that is killed while it waits leaves nothing that hinders the next one', async (t) => {
  const { data, muster, status, waiting } = await placeWithout(t, await freePort());
  const child = await waiting();
  const ended = once(child, 'exit');
  process.kill(Number((await status())['pid']), 'SIGKILL');
  await ended;
  t.true(existsSync(join(data, 'server.starting.json')), 'what it left');
  t.is((await status())['status'], 'stopped');
  t.regex((await muster('server', 'stop')).err, /No server runs on the data directory/);
  const next = await waiting();
  const end = once(next, 'exit');
  process.kill(Number((await status())['pid']), 'SIGTERM');
  t.is((await end)[0], 0, 'a signal ends the waiting at once');
  t.false(existsSync(join(data, 'server.starting.json')));
});

test('a server with workers waits in the same way', async (t) => {
  const { muster, waiting } = await placeWithout(t, await freePort());
  const child = await waiting('--workers', '2');
  const ended = once(child, 'exit');
  t.is((await muster('server', 'stop')).code, 0);
  await ended;
});

test('a server that waited answers when its database comes, and a check says what a start would do', async (t) => {
  const database = await postgresServer();
  t.teardown(() => database.remove());
  await database.stop();
  const { data, muster, status, waiting } = await placeWithout(t, database.port);
  const away = await muster('server', 'start', '--check');
  t.is(away.code, 5, away.err);
  t.regex(away.err, /A start would wait for its storage\. The database .* cannot serve/);
  const child = await waiting();
  await database.start();
  await until(async () => (await status())['status'] === 'running');
  t.false(existsSync(join(data, 'server.starting.json')));
  t.is((await status())['pid'], JSON.parse(readFileSync(join(data, 'server.json'), 'utf8')).pid);
  const check = await muster('server', 'start', '--check');
  t.is(check.code, 0, check.err);
  const ended = once(child, 'exit');
  t.is((await muster('server', 'stop')).code, 0);
  await ended;
});

test('a used port is refused before a database is created or awaited', async (t) => {
  const directory = await emptyPlace(t);
  const used = createServer().listen(0, '127.0.0.1');
  t.teardown(() => void used.close());
  await once(used, 'listening');
  const { port } = used.address() as { port: number };
  for (const workers of ['1', '2']) {
    const args = ['server', 'start', '--foreground', '--port', String(port), '--workers', workers];
    const { code, err } = await execCli(args, { cwd: directory });
    t.is(code, 4, err);
    t.regex(err, /Port \d+ on 127\.0\.0\.1 is in use/);
    t.false(existsSync(join(directory, 'data/muster.db')));
  }
});
