import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { silentLog } from '../../../core/index.ts';
import plugin from '../../../plugins/cloud-simulator/index.ts';
import { openSimulator } from '../../../plugins/cloud-simulator/server/open.ts';
import { startSimulator } from '../../../plugins/cloud-simulator/server/start-simulator.ts';

const openFile = join(import.meta.dirname, '../../../plugins/cloud-simulator/server/open.ts');

test.serial('concurrent and later openers of a directory get the same process', async (t) => {
  const directory = await freshDirectory(t);
  const [a, b] = await Promise.all([openSimulator(directory), openSimulator(directory)]);
  const later = await openSimulator(directory);
  t.is(a.url, b.url);
  t.is(a.url, later.url);
  t.is((await stat(join(directory, 'simulator.json'))).mode & 0o777, 0o600);
  t.like(await place(directory), { port: Number(new URL(a.url).port) });
});

test.serial('several processes that start a simulator at the same time share one, which outlives them', async (t) => {
  const directory = await freshDirectory(t);
  const script = `const { openSimulator } = await import(${JSON.stringify(openFile)}); process.stdout.write((await openSimulator(process.argv[1])).url);`;
  const urls = await Promise.all(
    [1, 2, 3].map(() => output(spawn(process.execPath, ['--input-type=module', '-e', script, directory]))),
  );
  t.is(new Set(urls).size, 1);
  t.is((await health(urls[0] ?? '')).pid, (await place(directory)).pid);
});

test.serial(
  'a killed simulator is started again with another state, also over a file that names a stranger',
  async (t) => {
    const directory = await freshDirectory(t);
    await openSimulator(directory);
    const first = await place(directory);
    process.kill(first.pid, 'SIGKILL');
    await ended(first.pid);
    const { url } = await openSimulator(directory);
    t.not((await place(directory)).state_id, first.state_id);
    t.is((await health(url)).state_id, (await place(directory)).state_id);

    const other = await freshDirectory(t);
    await writeFile(
      join(other, 'simulator.json'),
      await readFile(join(directory, 'simulator.json')).then((text) =>
        text.toString().replace(/[0-9a-f]{8}-/, '00000000-'),
      ),
    );
    await openSimulator(other);
    t.not((await place(other)).pid, (await place(directory)).pid);
  },
);

test.serial('a simulator ends some time after its last call and removes its file', async (t) => {
  const directory = await freshDirectory(t);
  await openSimulator(directory, { idleMs: 300 });
  const { pid } = await place(directory);
  await ended(pid);
  await t.throwsAsync(stat(join(directory, 'simulator.json')), { code: 'ENOENT' });
});

test.serial('a simulator writes a lost file again and ends when its directory is removed', async (t) => {
  const directory = await freshDirectory(t);
  const { url } = await openSimulator(directory);
  const { pid } = await place(directory);
  await rm(join(directory, 'simulator.json'));
  t.is((await openSimulator(directory)).url, url);
  t.is((await place(directory)).pid, pid);
  await rm(directory, { recursive: true });
  await ended(pid);
});

test.serial('the plugin serves the scheme `simulator` from the data directory', async (t) => {
  const directory = await freshDirectory(t);
  t.is(plugin.name, 'cloud-simulator');
  t.deepEqual(plugin.requires, ['cloud']);
  const scheme = plugin.endpoints?.find((one) => one.scheme === 'simulator');
  const opened = await scheme?.open('', { data_directory: directory, log: silentLog });
  t.is((await health(opened?.url ?? '')).pid, (await place(directory)).pid);
  await opened?.close();
  t.is((await health(opened?.url ?? '')).pid, (await place(directory)).pid);
});

test('a scenario is a file of knobs, and a mistake in it is told with its name', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'muster-scenario-'));
  t.teardown(() => rm(directory, { recursive: true }));
  const file = join(directory, 'slow.json');
  await writeFile(file, '{ "boot_ms": 90000, "shutdown_ms": 5 }');
  const simulator = await startSimulator({ scenario: file, knobs: { shutdown_ms: 6 } });
  t.teardown(() => simulator.close());
  t.like(simulator.knobs, { boot_ms: 90_000, shutdown_ms: 6 });
  t.is(new URL(simulator.url).hostname, '127.0.0.1');
  await writeFile(file, '{ "bot_ms": 90000 }');
  await t.throwsAsync(startSimulator({ scenario: file }), {
    message: /slow\.json: \/bot_ms: unknown; known: boot_ms/,
  });
});

async function freshDirectory(t: ExecutionContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'muster-simulator-'));
  t.teardown(async () => {
    const pid = await place(directory).then(
      ({ pid }) => pid,
      () => undefined,
    );
    if (pid !== undefined) {
      process.kill(pid, 'SIGKILL');
      await ended(pid);
    }
    await rm(directory, { recursive: true, force: true });
  });
  return directory;
}

async function place(directory: string): Promise<{ pid: number; port: number; state_id: string }> {
  return JSON.parse(await readFile(join(directory, 'simulator.json'), 'utf8'));
}

async function health(url: string): Promise<{ pid: number; state_id: string }> {
  return (await (await fetch(`${url}/_sim/health`)).json()) as { pid: number; state_id: string };
}

async function output(child: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) text += chunk.toString();
  return text;
}

async function ended(pid: number): Promise<void> {
  for (let look = 0; look < 200; look++) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    // A killed child of this very process stays as a zombie until it is reaped, which the next turn does.
    await wait(25);
  }
  throw new Error(`Process ${pid} still lives.`);
}
