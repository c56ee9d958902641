import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { readServerPlace } from '../../../host/data-directory/server-place.ts';
import { emptyPlace, endServer } from '../../support/background.ts';
import { makePlace, startBroker } from '../../support/boot-broker.ts';
import { execCli, type Ran } from '../../support/run-cli.ts';

interface Placed {
  readonly directory: string;
  readonly data: string;
  readonly config: string;
  /** In the directory of the place. */
  muster(...args: string[]): Promise<Ran>;
  /** Standing in a directory without a configuration, with nothing but the data directory named. */
  elsewhere(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ran>;
}

async function placed(t: ExecutionContext): Promise<Placed> {
  const place = await makePlace({ configuration: { server: { port: 0, rate_limit: { enabled: false } } } });
  const away = await emptyPlace(t);
  const data = join(place.directory, 'data');
  t.teardown(async () => {
    await endServer(data);
    await place.close();
  });
  return {
    directory: place.directory,
    data,
    config: join(place.directory, 'muster.config.json'),
    muster: (...args) => execCli(args, { cwd: place.directory }),
    elsewhere: (args, env = {}) => execCli(args, { cwd: away, env: { MUSTER_DATA_DIR: data, ...env } }),
  };
}

const pidOf = (data: string): number => readServerPlace(data)?.pid ?? 0;
const get = async (data: string, path: string): Promise<any> =>
  (await fetch(`http://127.0.0.1:${readServerPlace(data)?.port}${path}`)).json();
/** The configured instances. One that still has machines of an earlier configuration is listed too, as missing. */
const instances = async (data: string): Promise<string[]> => {
  const { providers } = await get(data, '/api/v1/providers/');
  const configured = providers.filter(({ status }: { status: string }) => status !== 'missing');
  return configured.map(({ name }: { name: string }) => name);
};
const settings = async (data: string, directory: string): Promise<any> => {
  const { out } = await execCli(['config', 'show', '--output', 'json'], {
    cwd: directory,
    env: { MUSTER_DATA_DIR: data },
  });
  return JSON.parse(out).configuration.server;
};

test.serial(
  'a restart from another directory keeps the configuration, the options and the variables of the server',
  async (t) => {
    const { directory, data, config, elsewhere } = await placed(t);
    const started = await execCli(['server', 'start', '--server-log-level', 'debug'], {
      cwd: directory,
      env: { MUSTER_SERVER_MAX_PENDING: '77' },
    });
    t.is(started.code, 0, started.err);
    const first = pidOf(data);
    const restarted = await elsewhere(['server', 'restart']);
    t.is(restarted.code, 0, restarted.err);
    t.not(pidOf(data), first);
    t.deepEqual(await instances(data), ['east']);
    t.like(await settings(data, directory), { log_level: 'debug', max_pending: 77 });
    t.like(readServerPlace(data)?.start, { config, cwd: directory });
  },
);

test.serial('a server that a command started is restarted with its configuration, too', async (t) => {
  const { data, muster, elsewhere } = await placed(t);
  const asked = await muster('requests', 'create', 'small', '1');
  t.is(asked.code, 0, asked.err);
  const restarted = await elsewhere(['server', 'restart']);
  t.is(restarted.code, 0, restarted.err);
  t.deepEqual(await instances(data), ['east']);
});

test.serial('options given to a restart override those remembered, and hold from then on', async (t) => {
  const { directory, data, muster, elsewhere } = await placed(t);
  t.is((await muster('server', 'start', '--server-log-level', 'debug', '--workers', '2')).code, 0);
  t.is((await elsewhere(['server', 'restart', '--workers', '1'])).code, 0);
  t.like(await settings(data, directory), { log_level: 'debug', workers: 1 });
  t.is((await elsewhere(['server', 'restart'])).code, 0);
  t.like(await settings(data, directory), { log_level: 'debug', workers: 1 });
});

test.serial('a configuration that is wrong is refused before the good server is stopped', async (t) => {
  const { directory, data, config, muster } = await placed(t);
  t.is((await muster('server', 'start')).code, 0);
  const pid = pidOf(data);
  const bad = join(directory, 'bad.yaml');
  writeFileSync(bad, 'schedular: default\n');
  const named = await muster('server', 'restart', '--config', bad);
  t.is(named.code, 4);
  t.regex(named.err, /bad\.yaml:1:1.*did you mean 'scheduler'/);
  t.regex(named.err, new RegExp(`\\(pid ${pid}\\) continues unchanged`));
  const good = readFileSync(config, 'utf8');
  writeFileSync(config, '{"providers": [');
  t.is((await muster('server', 'restart')).code, 4);
  writeFileSync(config, good);
  t.is(pidOf(data), pid);
  t.deepEqual(await instances(data), ['east']);
});

test.serial('a port in use is refused before the running server is stopped', async (t) => {
  const { data, muster } = await placed(t);
  const other = createServer();
  t.teardown(() => void other.close());
  const port = await new Promise<number>((resolve) =>
    other.listen(0, '127.0.0.1', () => resolve((other.address() as { port: number }).port)),
  );
  t.is((await muster('server', 'start')).code, 0);
  const pid = pidOf(data);
  const refused = await muster('server', 'restart', '--port', String(port));
  t.is(refused.code, 4);
  t.regex(refused.err, /Port \d+ on 127\.0\.0\.1 is in use/);
  t.is(pidOf(data), pid);
  const own = await muster('server', 'restart', '--port', String(readServerPlace(data)?.port));
  t.is(own.code, 0, `${own.err}: its own port it may keep`);
});

test.serial(
  'a moved configuration is reported before the running server is stopped; another one may be named',
  async (t) => {
    const { data, config, elsewhere } = await placed(t);
    t.is((await elsewhere(['server', 'start', '--config', config])).code, 0);
    const pid = pidOf(data);
    const moved = join(data, '../elsewhere.json');
    renameSync(config, moved);
    const refused = await elsewhere(['server', 'restart']);
    t.is(refused.code, 3);
    t.regex(
      refused.err,
      /configuration file .*muster\.config\.json, .*no longer exists.*muster server restart --config FILE/,
    );
    t.is(pidOf(data), pid);
    const named = await elsewhere(['server', 'restart', '--config', moved]);
    t.is(named.code, 0, named.err);
    t.deepEqual(await instances(data), ['east']);
  },
);

test.serial('no command serves the data directory of a configured server with samples', async (t) => {
  const { data, config, muster, elsewhere } = await placed(t);
  t.is((await muster('server', 'start')).code, 0);
  t.is((await muster('server', 'stop')).code, 0);
  const sentence = new RegExp(
    `belongs to the configuration ${config}, and no configuration was found from .*--config ${config}`,
  );
  for (const args of [
    ['server', 'start'],
    ['server', 'start', '--foreground', '--port', '0'],
    ['server', 'start', '--foreground', '--port', '0', '--api-only'],
    ['requests', 'create', 'workers', '1'],
    ['requests', 'create', 'workers', '1', '--no-server'],
    ['templates', 'list'],
  ]) {
    const { code, err } = await elsewhere(args);
    t.is(code, 4, args.join(' '));
    t.regex(err, sentence);
  }
  t.is(pidOf(data), 0);
  t.is((await elsewhere(['server', 'restart'])).code, 0, 'a restart knows what ran last');
  t.deepEqual(await instances(data), ['east']);
  t.is((await muster('server', 'stop')).code, 0);
  const { requests } = JSON.parse((await muster('requests', 'list', '--all-resources', '--output', 'json')).out);
  t.deepEqual(requests, [], 'nor was anything stored there');
  rmSync(config);
  const gone = await elsewhere(['server', 'start']);
  t.is(gone.code, 4);
  t.regex(gone.err, /which no longer exists/);
});

test.serial(
  'secrets of the environment are not written down, and the restarted server has them all the same',
  async (t) => {
    const { directory, data, elsewhere } = await placed(t);
    const secret = 'very-secret-key-of-east';
    t.is(
      (await execCli(['server', 'start'], { cwd: directory, env: { MUSTER_CLOUD_SECRET_ACCESS_KEY: secret } })).code,
      0,
    );
    const files = () =>
      ['server.json', 'server.options.json'].map((name) => readFileSync(join(data, name), 'utf8')).join('');
    t.notRegex(files(), new RegExp(secret));
    t.regex(files(), /MUSTER_CLOUD_SECRET_ACCESS_KEY/);
    const given = await elsewhere(['server', 'restart'], {
      MUSTER_CLOUD_SECRET_ACCESS_KEY: 'another-secret-key-of-east',
    });
    t.is(given.code, 0, given.err);
    t.notRegex(files(), /another-secret/);
    const read = await elsewhere(['server', 'restart']);
    if (existsSync('/proc/self/environ')) t.is(read.code, 0, read.err);
    t.is((await elsewhere(['server', 'stop'])).code, 0);
    const lost = await elsewhere(['server', 'restart']);
    t.is(lost.code, 4);
    t.regex(lost.err, /MUSTER_CLOUD_SECRET_ACCESS_KEY.*not stored on disk.*set them/);
  },
);

test.serial('two restarts at once leave one server that has its configuration', async (t) => {
  const { data, muster, elsewhere } = await placed(t);
  t.is((await muster('server', 'start')).code, 0);
  const pid = pidOf(data);
  const both = await Promise.all([elsewhere(['server', 'restart']), muster('server', 'restart')]);
  for (const { code, err } of both) t.is(code, 0, err);
  t.not(pidOf(data), pid);
  t.deepEqual(await instances(data), ['east']);
  t.regex(both.map(({ out }) => out).join(''), new RegExp(`pid ${pidOf(data)}\\)`));
});

test.serial('commands that find no server while one is restarted wait for it', async (t) => {
  const { directory, data, muster } = await placed(t);
  t.is((await muster('server', 'start', '--server-log-level', 'debug')).code, 0);
  const restart = muster('server', 'restart');
  const restarted = new AbortController();
  const asking = Array.from({ length: 3 }, async () => {
    const said: string[] = [];
    while (!restarted.signal.aborted) {
      const { code, err } = await muster('requests', 'create', 'small', '1');
      if (code !== 0) said.push(err);
    }
    return said;
  });
  const ran = await restart;
  restarted.abort();
  t.is(ran.code, 0, ran.err);
  // The outcome of a call whose connection is cut is not known: the command reports that and repeats nothing.
  const others = (await Promise.all(asking)).flat().filter((each) => !/ECONNRESET|socket hang up/.test(each));
  t.deepEqual(others, []);
  t.like(await settings(data, directory), { log_level: 'debug' });
});

test.serial('a server in the foreground is restarted in the background, and the command says so', async (t) => {
  const { directory, data, elsewhere } = await placed(t);
  const place = { directory, simulator: undefined as never, close: async () => {} };
  const server = await startBroker({ place });
  t.teardown(() => server.stop());
  const restarted = await elsewhere(['server', 'restart']);
  t.is(restarted.code, 0, restarted.err);
  t.regex(restarted.err, /ran in the foreground/);
  t.not(pidOf(data), server.pid);
  t.deepEqual(await instances(data), ['east']);
});

test.serial('a server of a service manager is left to it', async (t) => {
  const { directory, data, elsewhere } = await placed(t);
  const place = { directory, simulator: undefined as never, close: async () => {} };
  const server = await startBroker({ place, env: { INVOCATION_ID: '0123456789abcdef0123456789abcdef' } });
  t.teardown(() => server.stop());
  const refused = await elsewhere(['server', 'restart']);
  t.is(refused.code, 4);
  t.regex(refused.err, new RegExp(`pid ${server.pid}.*service manager.*systemctl restart`));
  t.is(pidOf(data), server.pid);
});

test.serial('what a server that was killed left behind is what the next restart goes by', async (t) => {
  const { directory, data, elsewhere } = await placed(t);
  const place = { directory, simulator: undefined as never, close: async () => {} };
  const server = await startBroker({ place });
  await server.kill('SIGKILL');
  t.true(existsSync(join(data, 'server.json')));
  const restarted = await elsewhere(['server', 'restart']);
  t.is(restarted.code, 0, restarted.err);
  t.deepEqual(await instances(data), ['east']);
});

test.serial(
  'what starts a server on the simulated cloud says so, and a restart finds a configuration that came since',
  async (t) => {
    const directory = await emptyPlace(t);
    const data = join(directory, 'data');
    const env = { MUSTER_SERVER_PORT: '0' };
    const started = await execCli(['server', 'start'], { cwd: directory, env });
    t.is(started.code, 0, started.err);
    t.regex(started.err, /simulated cloud/);
    t.is((await execCli(['server', 'stop'], { cwd: directory })).code, 0);
    // The server answers before its lines are in the file.
    t.regex(readFileSync(join(data, 'server.log'), 'utf8'), /"level":"info".*simulated cloud/);
    const asked = await execCli(['requests', 'create', 'workers', '1'], { cwd: directory, env });
    t.regex(asked.err, /simulated cloud/, JSON.stringify(asked));
    const again = await execCli(['server', 'restart'], { cwd: directory });
    t.is(again.code, 0, again.err);
    t.regex(again.err, /simulated cloud/);
    mkdirSync(join(directory, 'sub'));
    writeFileSync(join(directory, 'muster.config.yaml'), 'providers: []\n');
    const changed = await execCli(['server', 'restart'], {
      cwd: join(directory, 'sub'),
      env: { MUSTER_DATA_DIR: data },
    });
    t.is(changed.code, 0, changed.err);
    t.notRegex(changed.err, /simulated cloud/);
    t.deepEqual(await instances(data), []);
  },
);
