import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { bootBroker } from '../../support/boot-broker.ts';
import { read } from './unruly.ts';

const plugin = join(import.meta.dirname, 'unruly.ts');

const instances = ['good', 'bad', 'slow'];

interface Told {
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

// One at a time: each needs a processor for itself while it spins.
for (const { rule, how } of [
  { rule: 'launch spins', how: 'spins before its first wait' },
  { rule: 'launch spins-later', how: 'spins after it waited' },
  { rule: 'launch blocks', how: 'spins in what no debugger can stop' },
])
  test.serial(`a plugin that ${how} is left alone for a while; the others go on, and so does it when it behaves again`, async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'muster-hanging-'));
    const stateOf = (name: string) => join(directory, name);
    const told: Told[] = [];
    const hear = (fields: Readonly<Record<string, unknown>>, message: string) => void told.push({ fields, message });
    writeFileSync(`${stateOf('bad')}.rule`, rule);
    writeFileSync(`${stateOf('slow')}.rule`, 'launch waits');
    const broker = await bootBroker({
      loop: 'thread',
      thread: { ping_ms: 250, quarantine_ms: 4_000 },
      log: { debug: () => undefined, info: () => undefined, warn: hear, error: hear },
      templates: instances.map((name) => ({ template_id: name, provider_name: name, state: stateOf(name) })),
      configuration: {
        plugins: [plugin, 'default-format', 'storage-sqlite'],
        providers: instances.map((name) => ({ name, type: 'unruly', config: { state: stateOf(name) } })),
      },
    });
    t.teardown(async () => {
      await broker.close();
      rmSync(directory, { recursive: true });
    });
    const { call, until } = broker;
    const request = async (name: string): Promise<string> =>
      (await call('POST', '/machines/request', { template_id: name, machine_count: 2 })).body.request_id;
    const completed = (id: string) =>
      until(async () => {
        const { body } = await call('GET', `/requests/${id}/status`);
        return body.status === 'completed' && body;
      });

    await completed(await request('good'));
    // Its call is under way while the other hangs; in the next thread it is quick.
    const slow = await request('slow');
    await until(async () => existsSync(`${stateOf('slow')}.waiting`));
    rmSync(`${stateOf('slow')}.rule`);
    const bad = await request('bad');
    const { message } = await until(async () => {
      const { body } = await call('GET', '/providers/bad');
      return body.status === 'unhealthy' && (body as { readonly message: string });
    });
    t.regex(message, /held the loop's thread up .*nothing of it is called before 20/);
    // While it is left alone.
    await completed(await request('good'));
    await completed(slow);
    for (const name of ['good', 'slow']) t.is((await call('GET', `/providers/${name}`)).body.status, 'healthy');
    t.is((await call('GET', '/providers/bad')).body.status, 'unhealthy');
    const hung = told.find(({ message: line }) => line.startsWith('The loop thread hangs'));
    t.deepEqual(hung?.fields['suspects'], ['bad']);
    if (rule !== 'launch blocks') t.regex(hung?.message ?? '', /unruly\.ts/);

    rmSync(`${stateOf('bad')}.rule`);
    const { machines } = await completed(bad);
    t.is(machines.length, 2);
    t.is(Object.keys(read(stateOf('bad'))).length, 2);
    await until(async () => (await call('GET', '/providers/bad')).body.status === 'healthy');
    t.is(told.filter(({ message: line }) => line.startsWith('The loop thread hangs')).length, 1);
  });

test.serial('what a plugin throws in a timer does not end the thread, and costs its instance only', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'muster-stray-'));
  const state = join(directory, 'bad');
  writeFileSync(`${state}.rule`, 'launch stray');
  const told: string[] = [];
  const hear = (_: unknown, message: string) => void told.push(message);
  const broker = await bootBroker({
    loop: 'thread',
    log: { debug: () => undefined, info: () => undefined, warn: hear, error: hear },
    templates: [{ template_id: 'bad', state }],
    configuration: {
      plugins: [plugin, 'default-format', 'storage-sqlite'],
      providers: [{ name: 'bad', type: 'unruly', config: { state } }],
    },
  });
  t.teardown(async () => {
    await broker.close();
    rmSync(directory, { recursive: true });
  });
  const { call, until } = broker;
  const { body } = await call('POST', '/machines/request', { template_id: 'bad', machine_count: 1 });
  await until(async () => (await call('GET', `/requests/${body.request_id}/status`)).body.status === 'completed');
  await until(async () => /thrown in a timer/.test((await call('GET', '/providers/bad')).body.message ?? ''));
  t.true(told.some((line) => line.startsWith('bad: Its plugin threw where nobody waits')));
  t.false(told.some((line) => line.includes('It is replaced')));
});
