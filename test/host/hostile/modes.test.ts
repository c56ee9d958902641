import { statSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { serveOnSocket } from '../../../host/http/listen-socket.ts';
import { ConnectionBalancer } from '../../../host/cluster/connection-balancer.ts';
import { makePlace, startBroker, type Place } from '../../support/boot-broker.ts';
import { execCli } from '../../support/run-cli.ts';

const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

/**
 * Everything below a directory whose group or others may do anything with it, and which is not the directory of the
 * test itself.
 */
async function open(directory: string): Promise<string[]> {
  const names = await readdir(directory);
  const modes = await Promise.all(
    names.map(async (name) => `${name} ${await mode(join(directory, name)).catch(() => '0')}`),
  );
  return modes.filter((each) => !/ [0-7]?00$| 0$/.test(each));
}

async function simulated(): Promise<Place> {
  const configuration = {
    providers: [{ name: 'east', type: 'cloud', config: { endpoint_url: 'simulator:' } }],
    plugins: undefined,
    server: { port: 0 },
  };
  return makePlace({ configuration });
}

test.serial('with any umask, all files that a server creates belong to the owner alone', async (t) => {
  const before = process.umask(0o000);
  t.teardown(() => process.umask(before));
  const place = await simulated();
  t.teardown(() => place.close());
  const run = (...args: string[]) => execCli(args, { cwd: place.directory });
  const data = join(place.directory, 'data');
  let runs = true;
  t.teardown(() => (runs ? run('server', 'stop') : undefined));
  t.is((await run('server', 'start')).code, 0);
  const made = await run('requests', 'create', 'small', '1', '--wait');
  t.is(made.code, 0, made.err);
  t.is(await mode(data), '700');
  const files = await readdir(data);
  for (const name of [
    'muster.db',
    'muster.db-wal',
    'muster.db-shm',
    'muster.sock',
    'server.json',
    'server.lock',
    'server.log',
    'server.options.json',
    'simulator.json',
  ])
    t.true(files.includes(name), `${name} is not among ${files.join(', ')}`);
  t.deepEqual(await open(data), []);
  const backup = join(place.directory, 'backup.db');
  t.is((await run('storage', 'backup', backup)).code, 0);
  t.is(await mode(backup), '600');
  t.is((await run('server', 'stop')).code, 0);
  runs = false;
  t.deepEqual(await open(data), []);
});

test.serial('a socket is accessible to the owner alone from its creation, in any directory', async (t) => {
  const before = process.umask(0o000);
  t.teardown(() => process.umask(before));
  const directory = await mkdtemp(join(tmpdir(), 'muster-socket-'));
  t.teardown(() => rm(directory, { recursive: true }));
  const modeNow = (name: string) => (statSync(join(directory, name)).mode & 0o777).toString(8);
  const serving = serveOnSocket(join(directory, 'a'), () => undefined);
  // Nothing has been waited for: whoever looks now is as early as anybody can be.
  t.is(modeNow('a'), '600');
  (await serving).close();
  const balancer = new ConnectionBalancer();
  const listening = balancer.listenOnSocket(join(directory, 'b'));
  t.is(modeNow('b'), '600');
  await listening;
  balancer.close();
  t.is(process.umask(), 0);
});

test.serial(
  'an existing data directory keeps its mode, and the start warns if others may write into it',
  async (t) => {
    const before = process.umask(0o077);
    t.teardown(() => process.umask(before));
    const place = await makePlace();
    t.teardown(() => place.close());
    const data = join(place.directory, 'data');
    await mkdir(data);
    await chmod(data, 0o777);
    const server = await startBroker({ place });
    t.regex(server.output.stderr, new RegExp(`"level":"warn".*The data directory ${data} can be written by others`));
    t.is(await mode(data), '777');
    t.deepEqual(await open(data), []);
    await server.stop();
  },
);

test.serial(
  "plugins come from the configuration alone, also on a server that is open to all: not from a call, a template or the caller's directory",
  async (t) => {
    const place = await makePlace();
    t.teardown(() => place.close());
    const elsewhere = await mkdtemp(join(tmpdir(), 'muster-plugin-'));
    t.teardown(() => rm(elsewhere, { recursive: true }));
    const mark = join(elsewhere, 'ran');
    const plugin = join(elsewhere, 'evil.mjs');
    await writeFile(
      plugin,
      `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(mark)}, '');\nexport default {};\n`,
    );
    await writeFile(
      join(place.directory, 'cloud_templates.json'),
      JSON.stringify([{ template_id: 'a', plugin, plugins: [plugin], provider_type: plugin }]),
    );
    const server = await startBroker({ place, args: ['--host', '0.0.0.0'] });
    // Beside: an address that others reach.
    t.regex(server.output.stderr, /"level":"warn".*put an authenticating gateway in front/);
    t.notRegex(server.output.stderr, /can be written/);
    const { port } = new URL(server.url);
    const url = `http://127.0.0.1:${port}`;
    const send = (path: string, body: unknown) =>
      fetch(`${url}/api/v1${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }).then(({ status }) => status);
    const named = {
      name: 'x',
      type: plugin,
      plugin,
      config: { plugin, plugins: [plugin], credential_script: plugin },
    };
    t.true((await send('/providers/validate', { providers: [named] })) < 500);
    t.true((await send('/providers/validate', { plugins: [plugin], providers: [] })) < 500);
    t.true(
      (await send('/providers/validate-env', {
        provider_type: plugin,
        environment_variables: { MUSTER_PLUGINS: plugin, NODE_OPTIONS: `--import=${plugin}` },
      })) < 500,
    );
    t.true((await send('/templates/', { template_id: 'b', provider_type: plugin, plugins: [plugin] })) < 500);
    t.true(
      (await send('/machines/request', {
        template_id: 'a',
        machine_count: 1,
        additional_data: { plugins: [plugin] },
      })) < 500,
    );
    // A caller's own surroundings are those of the caller.
    await execCli(['templates', 'list', '--url', url], { cwd: place.directory, env: { MUSTER_PLUGINS: plugin } });
    await server.stop();
    await t.throwsAsync(stat(mark), { code: 'ENOENT' });
  },
);
