import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { startInBackground } from '../../../host/client/background-server.ts';
import { isServerProcess } from '../../../host/client/running-server.ts';
import { readLog } from '../../../host/client/server-log.ts';
import { isTaken, lockDataDirectory, makeDataDirectory } from '../../../host/data-directory/data-directory.ts';
import { readServerPlace, writeServerPlace } from '../../../host/data-directory/server-place.ts';
import { makePlace, startBroker, until, type Place, type PlaceOptions } from '../../support/boot-broker.ts';
import { execCli, launcher, type Ran } from '../../support/run-cli.ts';

/** A place whose server, if one was started in the background, ends with the test. */
async function placeFor(
  t: ExecutionContext,
  options: PlaceOptions = {},
): Promise<Place & { muster(...args: string[]): Promise<Ran> }> {
  const { rate_limit, ...server } = { rate_limit: { enabled: false }, port: 0 };
  const place = await makePlace({ configuration: { server: { rate_limit, ...server } }, ...options });
  t.teardown(async () => {
    const data = join(place.directory, 'data');
    // One that is still starting when a test fails has the directory before it says where it is.
    await until(async () => {
      const running = readServerPlace(data);
      if (running && isServerProcess(running)) process.kill(running.pid, 'SIGKILL');
      return !existsSync(data) || !isTaken(data);
    });
    await place.close();
  });
  return { ...place, muster: (...args) => execCli(args, { cwd: place.directory }) };
}

const pidOf = ({ directory }: Place): number | undefined => readServerPlace(join(directory, 'data'))?.pid;
const id = ({ out }: Ran): string => (JSON.parse(out) as { request_id: string }).request_id;

test.serial(
  'a server starts in the background, reports its address, restarts with its options and ends',
  async (t) => {
    const { directory, muster } = await placeFor(t);
    t.is((await muster('server', 'status')).code, 5);
    const started = await muster('server', 'start', '--server-log-level', 'debug');
    t.is(started.code, 0, started.err);
    const [, url = '', pid = ''] = /at (http:\S+) \(pid (\d+)\)/.exec(started.out) ?? [];
    t.is((await fetch(`${url}/livez`)).status, 200);
    const status = await muster('server', 'status', '--output', 'json');
    t.like(JSON.parse(status.out), {
      status: 'running',
      url,
      pid: Number(pid),
      data_directory: join(directory, 'data'),
    });
    const again = await muster('server', 'start');
    t.is(again.code, 4);
    t.regex(again.err, new RegExp(`Another server \\(pid ${pid}, ${url}\\) runs`));
    const restarted = await muster('server', 'restart');
    t.is(restarted.code, 0, restarted.err);
    t.not(String(readServerPlace(join(directory, 'data'))?.pid), pid);
    const called = await muster('templates', 'list', '--output', 'json');
    t.is(called.code, 0);
    // Its options hold: it tells every call. Lines are written when there is time.
    await until(async () =>
      /"level":"debug".*list_templates|list_templates.*"level":"debug"/.test((await muster('server', 'logs')).out),
    );
    t.is((await muster('server', 'stop')).code, 0);
    t.is((await muster('server', 'status')).code, 5);
    t.is((await muster('server', 'stop')).code, 0, 'that none runs is no failure');
  },
);

test.serial('a start in the background prints the warnings of the server', async (t) => {
  const { directory, muster } = await placeFor(t, {
    templates: [{ template_id: 'small', image_id: 'ami-1', max_instance: 3 }],
  });
  const file = join(directory, 'muster.config.json');
  const written = JSON.parse(readFileSync(file, 'utf8'));
  written.providers[0].config.regoin = 'us-east-1';
  writeFileSync(file, JSON.stringify(written));
  const started = await muster('server', 'start');
  t.is(started.code, 0, started.err);
  t.regex(started.err, /^muster: warning: .*config\/regoin: unknown field, kept as it is; did you mean 'region'\?$/m);
  t.regex(started.err, /^muster: warning: .*'max_instances' is not set/m);
  t.is((await muster('server', 'stop')).code, 0);
  const again = await muster('server', 'start');
  t.is(again.err.match(/regoin/g)?.length, 1, 'of this start, not of the one before');
});

test.serial('a server that cannot start says why, with the code of what is wrong', async (t) => {
  const { directory, muster } = await placeFor(t);
  const taken = createServer();
  t.teardown(() => void taken.close());
  const port = await new Promise<number>((resolve) =>
    taken.listen(0, '127.0.0.1', () => resolve((taken.address() as { port: number }).port)),
  );
  const busy = await muster('server', 'start', '--port', String(port));
  t.is(busy.code, 4);
  t.regex(busy.err, /Port \d+ on 127\.0\.0\.1 is in use/);
  writeFileSync(join(directory, 'muster.config.json'), '{"schedular": "default"}');
  const wrong = await muster('server', 'start');
  t.is(wrong.code, 4);
  t.regex(wrong.err, /did you mean 'scheduler'/);
});

test.serial('what leaves work starts one server, however many commands do so at once', async (t) => {
  const place = await placeFor(t);
  const asked = await Promise.all(
    [1, 2, 3].map(() => place.muster('requests', 'create', 'small', '1', '--output', 'json')),
  );
  for (const { code, err } of asked) t.is(code, 0, err);
  t.is(new Set(asked.map(id)).size, 3);
  t.is(
    new Set(asked.map(({ err }) => /in the background \(pid (\d+)\)/.exec(err)?.[1] ?? String(pidOf(place)))).size,
    1,
  );
  await until(async () => Object.values(place.simulator.ledger().live).flat().length === 3);
  t.is((await place.muster('machines', 'return', '--all')).code, 2);
  const gone = await place.muster('machines', 'return', '--all', '--force', '--wait');
  t.is(gone.code, 0, gone.err);
  t.deepEqual(place.simulator.ledger().live, {});
});

test.serial('reading and refused calls start nothing', async (t) => {
  const place = await placeFor(t);
  t.is((await place.muster('templates', 'list')).code, 0);
  t.is((await place.muster('requests', 'create', 'nope', '1')).code, 3);
  t.is(pidOf(place), undefined);
});

test.serial('a port in use does not stop a server that a command starts by itself', async (t) => {
  const other = createServer();
  t.teardown(() => void other.close());
  const port = await new Promise<number>((resolve) =>
    other.listen(0, '127.0.0.1', () => resolve((other.address() as { port: number }).port)),
  );
  const place = await placeFor(t, { configuration: { server: { port } } });
  const asked = await place.muster('requests', 'create', 'small', '1');
  t.is(asked.code, 0, asked.err);
  t.truthy(pidOf(place));
});

test.serial('without a server the command carries its request out and leaves none behind', async (t) => {
  const place = await placeFor(t);
  const asked = await place.muster('requests', 'create', 'small', '2', '--no-server', '--output', 'json');
  t.is(asked.code, 0, asked.err);
  t.is(JSON.parse(asked.out).status, 'completed');
  t.is(place.simulator.ledger().live[id(asked)]?.length, 2);
  t.is(pidOf(place), undefined);
  t.false(isTaken(join(place.directory, 'data')));
});

test.serial('a command without a server does not carry anything out while a server lives', async (t) => {
  const place = await placeFor(t);
  const server = await startBroker({ place });
  t.teardown(() => server.stop());
  const asked = await place.muster('requests', 'create', 'small', '1', '--no-server', '--output', 'json');
  t.is(asked.code, 0, asked.err);
  t.is(JSON.parse(asked.out).status, 'pending', 'the server was asked, and carries it out');
  await until(async () => place.simulator.ledger().live[id(asked)]?.length === 1);
});

test.serial('with a storage of one process the server is there before anything is stored', async (t) => {
  const place = await placeFor(t, { storage: 'memory' });
  const asked = await place.muster('requests', 'create', 'small', '1', '--output', 'json');
  t.is(asked.code, 0, asked.err);
  t.is((await place.muster('requests', 'status', id(asked))).code, 0);
});

test.serial('the files of a killed server are not trusted, even if another process has its pid', async (t) => {
  const place = await placeFor(t);
  const server = await startBroker({ place });
  await server.kill('SIGKILL');
  const file = join(place.directory, 'data/server.json');
  const left = JSON.parse(readFileSync(file, 'utf8')) as { pid: number };
  t.is((await place.muster('templates', 'list')).code, 0);
  // This process began after that: only its begin tells that the number is no longer the server's.
  writeFileSync(
    file,
    JSON.stringify({
      ...left,
      pid: process.pid,
      started_at: new Date(Date.now() - 3_600_000).toISOString(),
      socket_path: null,
    }),
  );
  t.is((await place.muster('server', 'status')).code, 5);
  const stopped = await place.muster('server', 'stop');
  t.is(stopped.code, 0);
  t.regex(stopped.err, /No server runs/);
  const asked = await place.muster('requests', 'create', 'small', '1');
  t.is(asked.code, 0, asked.err);
  t.not(pidOf(place), process.pid);
});

test.serial('a server that hangs, or does not exist, is reported within two seconds', async (t) => {
  const place = await placeFor(t);
  const server = await startBroker({ place });
  t.teardown(() => server.stop());
  process.kill(server.pid, 'SIGSTOP');
  const began = performance.now();
  const hung = await place.muster('templates', 'list');
  const took = performance.now() - began;
  process.kill(server.pid, 'SIGCONT');
  t.is(hung.code, 5);
  t.regex(hung.err, /muster\.sock does not answer\. Tried: list_templates, then its liveness/);
  t.true(
    took < 4_000,
    `${took} ms, of which 2000 are the patience and the rest the start of a process on a busy machine`,
  );
  const absent = await place.muster('templates', 'list', '--url', 'http://127.0.0.1:1');
  t.is(absent.code, 5);
  t.regex(absent.err, /http:\/\/127\.0\.0\.1:1 cannot be reached: ECONNREFUSED/);
});

test.serial('Ctrl-C ends the waiting, not the request', async (t) => {
  const place = await placeFor(t, { knobs: { boot_ms: 60_000 } });
  const child = spawn(launcher, ['requests', 'create', 'small', '1', '--wait'], {
    cwd: place.directory,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let err = '';
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const ended = once(child, 'exit');
  await until(async () => /in_progress/.test(err));
  child.kill('SIGINT');
  t.is((await ended)[0], 130);
  t.regex(err, /stopped waiting; watch it with: muster requests watch req-/);
  const { requests } = JSON.parse((await place.muster('requests', 'list', '--output', 'json')).out);
  t.like(requests, [{ status: 'in_progress' }]);
});

test.serial('a request that fails, or ends short, has its own exit code', async (t) => {
  const place = await placeFor(t, { knobs: { capacity: [{ instance_type: '*', zone: '*', market: '*', count: 1 }] } });
  const server = await startBroker({ place });
  t.teardown(() => server.stop());
  const short = await place.muster('requests', 'create', 'fleet', '4', '--wait');
  t.is(short.code, 6, short.out);
  const none = await place.muster('requests', 'create', 'small', '2', '--wait');
  t.is(none.code, 1, none.out);
});

test.serial('one that is started beside another gives way, and waits until that answers', async (t) => {
  const place = await placeFor(t);
  const data = join(place.directory, 'data');
  makeDataDirectory(data);
  using _ = lockDataDirectory(data);
  const starting = startInBackground(data, ['--config', join(place.directory, 'muster.config.json')]);
  await until(async () => /Another server/.test(readLog(data, 0)));
  // Long enough for it to have ended: that must not be taken for the end of the matter.
  await sleep(300);
  const socket_path = join(data, 'other.sock');
  const other = createServer().listen(socket_path);
  t.teardown(() => void other.close());
  await once(other, 'listening');
  // Its number is that of no process, so that nothing here ends one.
  const said = {
    pid: 2 ** 22 + 1,
    host: '127.0.0.1',
    port: 1,
    socket_path,
    started_at: new Date().toISOString(),
    version: '0.0.0',
  };
  writeServerPlace(data, said);
  t.deepEqual(await starting, { place: said, own: false });
});

test.serial(
  'what a killed server left behind is not believed when the next one listens on its socket already',
  async (t) => {
    const place = await placeFor(t);
    const data = join(place.directory, 'data');
    makeDataDirectory(data);
    using _ = lockDataDirectory(data);
    const socket_path = join(data, 'muster.sock');
    const dead = {
      pid: 2 ** 22 + 1,
      host: '127.0.0.1',
      port: 1,
      socket_path,
      started_at: new Date(0).toISOString(),
      version: '0.0.0',
    };
    writeServerPlace(data, dead);
    const starting = startInBackground(data, ['--config', join(place.directory, 'muster.config.json')]);
    await until(async () => /Another server/.test(readLog(data, 0)));
    const next = createServer().listen(socket_path);
    t.teardown(() => void next.close());
    await once(next, 'listening');
    // Long enough for several looks, which find somebody who listens where the file says.
    await sleep(300);
    const said = { ...dead, pid: dead.pid + 1, started_at: new Date().toISOString() };
    writeServerPlace(data, said);
    t.deepEqual(await starting, { place: said, own: false });
  },
);

test.serial(
  'a server that ends between the check and the call is not called again, and the command continues without it',
  async (t) => {
    const place = await placeFor(t);
    const data = join(place.directory, 'data');
    makeDataDirectory(data);
    const socket_path = join(data, 'muster.sock');
    // It takes the connection of whoever looks whether it is there, and has gone when the call comes.
    const ending = createServer((socket) => {
      socket.destroy();
      ending.close();
    }).listen(socket_path);
    await once(ending, 'listening');
    const started_at = new Date().toISOString();
    writeServerPlace(data, {
      pid: 2 ** 22 + 1,
      host: '127.0.0.1',
      port: 1,
      socket_path,
      started_at,
      version: '0.0.0',
    });
    const listed = await place.muster('templates', 'list', '--output', 'json');
    t.is(listed.code, 0, listed.err);
  },
);
