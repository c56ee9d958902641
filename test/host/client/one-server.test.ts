import { execFile } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import {
  isTaken,
  lockDataDirectory,
  makeDataDirectory,
  lockStart,
} from '../../../host/data-directory/data-directory.ts';
import { readServerPlace } from '../../../host/data-directory/server-place.ts';
import { makePlace, until, type Place } from '../../support/boot-broker.ts';
import { execCli } from '../../support/run-cli.ts';

async function placeFor(
  t: ExecutionContext,
): Promise<{ place: Place; data: string; muster(...args: string[]): ReturnType<typeof execCli> }> {
  const place = await makePlace({ configuration: { server: { port: 0, rate_limit: { enabled: false } } } });
  const data = join(place.directory, 'data');
  t.teardown(async () => {
    if (existsSync(data)) await execCli(['server', 'stop', '--force'], { cwd: place.directory });
    await place.close();
  });
  return { place, data, muster: (...args) => execCli(args, { cwd: place.directory }) };
}

/** What the cloud was told to change. */
const changes = ({ simulator }: Place) => simulator.audit().filter(({ ids }) => ids.length > 0);

test('of two that are started at once one runs, with its own options, and the other is refused', async (t) => {
  const { data, muster } = await placeFor(t);
  const started = await Promise.all(
    ['debug', 'trace'].map((level) => muster('server', 'start', '--server-log-level', level)),
  );
  t.deepEqual(started.map(({ code }) => code).toSorted(), [0, 4]);
  const place = readServerPlace(data);
  const won = started.findIndex(({ code }) => code === 0);
  t.regex(
    started[1 - won]?.err ?? '',
    new RegExp(`Another server \\(pid ${place?.pid}, .* runs on the data directory`),
  );
  t.regex(started[won]?.out ?? '', new RegExp(`pid ${place?.pid}\\)`));
  t.regex(readFileSync(join(data, 'server.options.json'), 'utf8'), won === 0 ? /debug/ : /trace/);
});

test('while another process has the directory and does not listen yet, nothing is claimed: what was asked for waits for it', async (t) => {
  const { place, data, muster } = await placeFor(t);
  makeDataDirectory(data);
  const slow = lockDataDirectory(data);
  const itself = muster('requests', 'create', 'small', '1', '--no-server', '-o', 'json');
  const stored = await muster('requests', 'create', 'small', '1', '-o', 'json');
  t.is(stored.code, 0, stored.err);
  t.like(JSON.parse(stored.out), { status: 'pending' });
  await sleep(500);
  t.deepEqual(changes(place), [], 'three seconds and more, and nobody but the owner of the directory may act');
  t.is(readServerPlace(data), undefined, 'nor was a server started beside it');
  slow[Symbol.dispose]();
  const { code, out, err } = await itself;
  t.is(code, 0, err);
  t.like(JSON.parse(out), { status: 'completed' });
});

test('a server that is asked to end while it starts is waited for, and ended', async (t) => {
  const { data, muster } = await placeFor(t);
  const starting = muster('server', 'start');
  await until(async () => existsSync(data) && isTaken(data));
  const stopped = await muster('server', 'stop');
  await starting;
  t.is(stopped.code, 0);
  t.regex(stopped.out, /^The server \(pid \d+\) has ended\.\n$/, stopped.err);
  t.false(isTaken(data));
});

test('a server whose socket was tidied away is asked on its port, and none is started beside it', async (t) => {
  const { data, muster } = await placeFor(t);
  t.is((await muster('server', 'start')).code, 0);
  const pid = readServerPlace(data)?.pid;
  rmSync(join(data, 'muster.sock'));
  const asked = await muster('requests', 'create', 'small', '1', '-o', 'json');
  t.is(asked.code, 0, asked.err);
  t.is(asked.err, '');
  t.is(readServerPlace(data)?.pid, pid);
  t.like(JSON.parse((await muster('server', 'status', '-o', 'json')).out), { status: 'running', pid });
  const named = await execCli(['hostfactory', 'getAvailableTemplates'], { cwd: '/', env: { MUSTER_DATA_DIR: data } });
  t.is(named.code, 0, named.out);
});

test("a check of the directory's lock does not refuse a server that locks it at the same moment", async (t) => {
  const { data } = await placeFor(t);
  makeDataDirectory(data);
  const look = `const { DatabaseSync } = require('node:sqlite');
    const database = new DatabaseSync(${JSON.stringify(join(data, 'server.lock'))});
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    console.log('has it');
    setTimeout(() => database.close(), 60);`;
  const looking = execFile(process.execPath, ['-e', look]);
  await new Promise((resolve) => void looking.stdout?.once('data', resolve));
  t.true(isTaken(data));
  lockDataDirectory(data)[Symbol.dispose]();
  using turn = lockStart(data);
  t.truthy(turn);
  t.is(lockStart(data), undefined, 'one turn at a time');
});

test('another program that answers at the URL is reported', async (t) => {
  const other = createServer((_, response) =>
    response.setHeader('content-type', 'text/html').end('<h1>hello</h1>'),
  ).listen(0, '127.0.0.1');
  t.teardown(() => void other.close());
  await until(async () => other.listening);
  const url = `http://127.0.0.1:${(other.address() as { port: number }).port}`;
  const { code, out, err } = await execCli(['templates', 'list', '--url', url], { cwd: '/' });
  t.deepEqual([code, out], [5, '']);
  t.is(err, `muster: The server at ${url} is not a muster server: it answered 200 without JSON. Check the URL.\n`);
});
