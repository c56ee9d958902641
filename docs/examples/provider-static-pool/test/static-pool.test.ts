import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { compile, isFault, silentLog, systemClock, type Call } from 'muster';
import plugin from '../index.ts';

const only = <T>(list: readonly T[] = []): T => list[0] ?? assert.fail('The plugin does not contribute it.');
const type = only(plugin.providers);
const api = only(plugin.providerApis);
const call: Call = { signal: new AbortController().signal, fence: () => undefined, log: silentLog };

const host = (name: string, labels: object = {}) => ({ name, address: `${name}.example`, labels });
const three = [host('a', { gpu: 'no' }), host('b', { gpu: 'yes' }), host('c', { gpu: 'yes', zone: 'north' })];

/** A pool in a file of its own, or another broker on the same file. */
async function open(hosts: readonly object[] = three, directory = mkdtempSync(join(tmpdir(), 'pool-'))) {
  const { value } = compile(type.config as never).parse({ pool: join(directory, 'pool.db'), hosts });
  const context = {
    instance: 'lab',
    clock: systemClock,
    log: silentLog,
    installation: 'test',
    endpoint: async (url: string) => url,
  };
  const session = await type.connect(value as never, context);
  const order = (token: string, machine_count: number, host_labels: object) => ({
    request_id: 'req-1',
    attempt: 1,
    token,
    machine_count,
    template: { template_id: 't', host_labels },
    tags: {},
    prepared: undefined,
  });
  return {
    directory,
    launch: (token: string, count: number, host_labels = {}) =>
      api.launch(session, order(token, count, host_labels), call),
    async observe(token: string) {
      const [seen] = await api.observe(session, [{ handle: { token }, order: order(token, 0, {}), known: [] }], call);
      return seen && 'machines' in seen ? seen.machines : assert.fail('The order was not observed.');
    },
    release: (token: string, ...ids: string[]) =>
      api.release(
        session,
        { token },
        { go: ids.map((machine_id) => ({ machine_id, status: 'running' })), stay: [], incoming: 0 },
        call,
      ),
    async [Symbol.asyncDispose]() {
      await type.close?.(session);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const ids = (machines: readonly { readonly machine_id: string }[] = []) =>
  machines.map(({ machine_id }) => machine_id);
const hasNone = (fault: unknown) => isFault(fault) && fault.kind === 'capacity';

test('a lease carries the name and the address of the host; a returned host is free at once, as another machine', async () => {
  await using pool = await open();
  const { machines = [], settled } = await pool.launch('x', 1);
  assert.deepEqual([machines[0]?.machine_id, machines[0]?.status, machines[0]?.ready], ['a.1', 'running', true]);
  assert.deepEqual([machines[0]?.name, machines[0]?.private_ip, settled], ['a', 'a.example', true]);
  assert.deepEqual(await pool.release('x', 'a.1'), { done: true });
  assert.equal((await pool.observe('x'))[0]?.status, 'terminated');
  assert.deepEqual(ids((await pool.launch('y', 1)).machines), ['a.2']);
  // A repeated release does not end the later lease of the host.
  await pool.release('x', 'a.1', 'a.2');
  assert.equal((await pool.observe('y'))[0]?.status, 'running');
});

test('the same token gets the same hosts, even if other hosts have become free', async () => {
  await using pool = await open();
  await pool.launch('x', 2);
  const short = await pool.launch('y', 2);
  assert.deepEqual(
    [ids(short.machines), short.shortfall?.[0]?.kind, short.shortfall?.[0]?.count],
    [['c.1'], 'capacity', 1],
  );
  await pool.release('x', 'a.1', 'b.1');
  assert.deepEqual(await pool.launch('y', 2), short);
});

test('labels choose the hosts, and a lack of free hosts with these labels is a capacity fault', async () => {
  await using pool = await open();
  assert.deepEqual(ids((await pool.launch('x', 1, { gpu: 'yes', zone: 'north' })).machines), ['c.1']);
  assert.deepEqual(ids((await pool.launch('y', 5, { gpu: 'yes' })).machines), ['b.1']);
  await assert.rejects(pool.launch('z', 1, { gpu: 'yes' }), hasNone);
  await assert.rejects(pool.launch('w', 1, { gpu: 'many' }), hasNone);
  // A refused order stays refused: a late call must not lease a host for which no request waits.
  await pool.release('y', 'b.1');
  await assert.rejects(pool.launch('z', 1, { gpu: 'yes' }), hasNone);
});

test('a leased host that is removed from the inventory is reported until its return, and is not leased again', async () => {
  await using pool = await open();
  await pool.launch('x', 3);
  await using smaller = await open([three[1] ?? {}], pool.directory);
  assert.deepEqual(
    (await smaller.observe('x')).map(({ machine_id, status }) => [machine_id, status]),
    [
      ['a.1', 'running'],
      ['b.1', 'running'],
      ['c.1', 'running'],
    ],
  );
  await smaller.release('x', 'a.1', 'b.1');
  assert.deepEqual(ids((await smaller.launch('y', 3)).machines), ['b.2']);
});

test('a file that cannot be used is a fault that says so', async () => {
  await assert.rejects(
    open(three, '/dev/null/pool'),
    (fault) => isFault(fault) && /pool file cannot be used/.test(fault.message),
  );
});

test('an inventory that names a host twice is refused', async () => {
  // The check comes before the file is created.
  await assert.rejects(open([host('a'), host('b'), host('a')], '/nowhere'), /'a' occurs twice in the inventory/);
});

test('brokers in several processes that take hosts at the same time lease no host twice', async () => {
  await using pool = await open();
  const file = join(pool.directory, 'grabbed.db');
  const grab = (who: string, other: string) => {
    const args = [join(import.meta.dirname, 'grab.ts'), who, other, file];
    return text(spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] }).stdout);
  };
  const grabbed = (await Promise.all([grab('x', 'y'), grab('y', 'x')])).join('').split('\n').filter(Boolean);
  assert.equal(new Set(grabbed).size, grabbed.length);
  // Each process kept every second host.
  const database = new DatabaseSync(file);
  const kept = database.prepare('SELECT name FROM lease WHERE returned_at IS NULL').all();
  database.close();
  assert.equal(new Set(kept.map(({ name }) => name)).size, kept.length);
  assert.equal(kept.length, 20);
});
