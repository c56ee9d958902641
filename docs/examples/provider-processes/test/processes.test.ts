import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { isFault } from 'muster';
import { createOnce } from '../create-once.ts';
import { startOf } from '../start-of.ts';
import { api, open, until } from './machines.ts';

const pidIn = (message = ''): number => Number(/Process (\d+)/.exec(message)?.[1]);

test('a machine is the process of the command; it gets its environment and ends when it is released', async () => {
  await using here = await open();
  const { machines = [] } = await here.launch('a', 1, {
    args: ['-c', 'echo "$GREETING $MUSTER_MACHINE_ID $$"; exec sleep 60'],
    env: { GREETING: 'hello' },
  });
  const [machine] = machines;
  assert.deepEqual(
    [machine?.machine_id, machine?.status, machine?.ready, machine?.private_ip],
    ['a-1', 'running', true, '127.0.0.1'],
  );
  const pid = pidIn(machine?.message);
  const log = join(here.directory, 'orders', 'a', '1.log');
  assert.equal(await until(() => readFileSync(log, 'utf8')), `hello a-1 ${pid}\n`);
  await here.end('a');
  assert.equal(startOf(pid), undefined);
  assert.equal((await here.observe('a'))[0]?.status, 'terminated');
});

test('each machine of an order with names finds one of them in its environment, and reports it', async () => {
  await using here = await open();
  const args = ['-c', 'echo "I am $MUSTER_MACHINE_NAME"; exec sleep 60'];
  const { machines = [] } = await here.launch('a', 2, { args }, ['cpu-1', 'cpu-2']);
  assert.deepEqual(
    machines.map(({ assigned_name }) => assigned_name),
    ['cpu-1', 'cpu-2'],
  );
  for (const n of [1, 2]) {
    const log = join(here.directory, 'orders', 'a', `${n}.log`);
    assert.equal(await until(() => readFileSync(log, 'utf8')), `I am cpu-${n}\n`);
  }
});

test('the same token starts each machine once, however many launch it at the same time', async () => {
  await using here = await open();
  const there = await here.again();
  const launches = await Promise.all([here.launch('a', 2), there.launch('a', 2), here.launch('a', 2)]);
  await here.launch('a', 2);
  const pids = launches.map(({ machines = [] }) => machines.map(({ message }) => pidIn(message)));
  assert.deepEqual(new Set(pids.map(String)).size, 1);
  await until(() => here.starts() >= 2);
  assert.equal(here.starts(), 2);
  // A release ends exactly the named machines.
  await until(async () => (await here.release('a', ['a-2', 'b-1'])).done);
  assert.deepEqual(
    (await here.observe('a')).map(({ status }) => status),
    ['running', 'terminated'],
  );
});

test('a late runner starts nothing if its slot is taken or released, or if its order has ended', async () => {
  await using here = await open();
  await here.launch('a', 1);
  await until(() => here.starts());
  const folder = join(here.directory, 'orders', 'a');
  const runner = join(import.meta.dirname, '..', 'runner.ts');
  const file = join(here.directory, 'late');
  const run = (slot: string, released: string) => {
    const task = {
      slot,
      released,
      command: 'sh',
      args: ['-c', `echo late > ${file}`],
      cwd: '/',
      env: { PATH: process.env['PATH'] },
    };
    return spawnSync('sh', [
      '-c',
      'exec 3<<END\n' + JSON.stringify(task) + '\nEND\nexec "$0" --disable-warning=ExperimentalWarning "$1"',
      process.execPath,
      runner,
    ]);
  };
  run(join(folder, '1.slot'), join(folder, '1.released'));
  createOnce(join(folder, '2.released'), {});
  run(join(folder, '2.slot'), join(folder, '2.released'));
  run(join(here.directory, 'orders', 'gone', '1.slot'), join(here.directory, 'orders', 'gone', '1.released'));
  assert.equal(existsSync(file), false);
  // In a free slot the same runner starts the command.
  run(join(folder, '3.slot'), join(folder, '3.released'));
  assert.equal(existsSync(file), true);
});

test('a machine that is released before its process starts never runs', async () => {
  await using here = await open();
  mkdirSync(join(here.directory, 'orders', 'a'));
  createOnce(join(here.directory, 'orders', 'a', 'order.json'), { granted: 1 });
  assert.equal((await here.observe('a'))[0]?.status, 'pending');
  assert.deepEqual(await here.release('a', ['a-1']), { done: true });
  const { machines = [] } = await here.launch('a', 1);
  assert.equal(machines[0]?.status, 'terminated');
  assert.equal(existsSync(join(here.directory, 'starts')), false);
});

test('a process that reuses the pid of a machine is neither reported as the machine nor ended', async () => {
  await using here = await open();
  const folder = join(here.directory, 'orders', 'a');
  mkdirSync(folder);
  createOnce(join(folder, 'order.json'), { granted: 1 });
  createOnce(join(folder, '1.slot'), { at: '2026-01-01T00:00:00Z', pid: process.pid, start: 'another time' });
  assert.equal((await here.observe('a'))[0]?.status, 'terminated');
  assert.deepEqual(await here.release('a', ['a-1']), { done: true });
});

test('a process that ignores SIGTERM is killed after the grace period, with all processes that it started', async () => {
  await using here = await open({ stop_grace_ms: 300 });
  const children = join(here.directory, 'children');
  const { machines = [] } = await here.launch('a', 1, {
    args: ['-c', `trap "" TERM; sleep 60 & echo $! > ${children}; wait; wait; wait; sleep 60`],
  });
  const child = await until(() => existsSync(children) && Number(readFileSync(children, 'utf8')));
  assert.deepEqual(await here.release('a', ['a-1']), { done: false, again_ms: 100 });
  assert.equal((await here.observe('a'))[0]?.status, 'shutting-down');
  // Another broker continues the stop.
  await (await here.again()).end('a');
  assert.equal(startOf(pidIn(machines[0]?.message)), undefined);
  await until(() => startOf(child) === undefined);
});

test('a child that ignores SIGTERM and outlives its parent is killed too', async () => {
  await using here = await open();
  const children = join(here.directory, 'children');
  await here.launch('a', 1, { args: ['-c', `(trap "" TERM; exec sleep 60) & echo $! > ${children}; wait`] });
  const child = await until(() => existsSync(children) && Number(readFileSync(children, 'utf8')));
  await here.end('a');
  await until(() => startOf(child) === undefined);
});

test('a command that cannot be started is a failed machine with the reason; a process that ends by itself is terminated', async () => {
  await using here = await open({ max_processes: 3 });
  const missing = await here.launch('a', 1, { command: 'no-such-program' });
  assert.deepEqual([missing.machines?.[0]?.status, missing.machines?.[0]?.ready], ['failed', false]);
  assert.match(missing.machines?.[0]?.message ?? '', /'no-such-program' is no program/);
  const elsewhere = await here.launch('b', 1, { cwd: '/no/such/place' });
  assert.match(elsewhere.machines?.[0]?.message ?? '', /'\/no\/such\/place' does not exist/);
  await here.launch('c', 1, { command: 'true', args: [] });
  await until(async () => (await here.observe('c'))[0]?.status === 'terminated');
  // None of them occupies a slot.
  assert.equal((await here.launch('d', 3)).machines?.length, 3);
});

test('no more processes run than there are slots; an order gets the free slots, and the same ones when it is repeated', async () => {
  await using here = await open({ max_processes: 3 });
  await here.launch('a', 2);
  const short = await here.launch('b', 2);
  assert.deepEqual(
    [short.machines?.length, short.shortfall?.[0]?.kind, short.shortfall?.[0]?.count],
    [1, 'capacity', 1],
  );
  await assert.rejects(here.launch('c', 1), (fault) => isFault(fault) && fault.kind === 'capacity');
  await here.end('a');
  assert.equal((await here.launch('b', 2)).machines?.length, 1);
  await assert.rejects(here.launch('c', 1), (fault) => isFault(fault) && fault.kind === 'capacity');
  assert.equal((await here.launch('d', 2)).machines?.length, 2);
});

test('an ended process occupies no slot, keeps its output for a while, and is not started again by a late order', async () => {
  await using here = await open({ keep_days: 1 });
  await here.launch('a', 1);
  await until(() => here.starts());
  assert.deepEqual(await here.dispose('a'), { done: false });
  await here.end('a');
  assert.deepEqual(await here.dispose('a'), { done: true });
  assert.equal((await here.launch('a', 1)).machines?.[0]?.status, 'terminated');
  assert.equal(here.starts(), 1);
  const ended = join(here.directory, 'ended');
  assert.deepEqual(readdirSync(join(ended, 'a')).includes('1.log'), true);
  utimesSync(join(ended, 'a'), 0, 0);
  await here.dispose('b');
  assert.deepEqual(readdirSync(ended), []);
});

test('no file and no argument contains secrets of the environment', async () => {
  await using here = await open();
  const { machines = [] } = await here.launch('a', 1, { env: { PASSWORD: 'hunter2' } });
  const files = readdirSync(here.directory, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  for (const { parentPath, name } of files)
    assert.equal(readFileSync(join(parentPath, name)).includes('hunter2'), false, name);
  assert.equal(JSON.stringify(machines).includes('hunter2'), false);
});

test('brokers in several processes that admit orders at the same time respect the number of slots', async () => {
  await using here = await open();
  const grant = (who: string, other: string) => {
    const args = [join(import.meta.dirname, 'grant.ts'), who, other, here.directory];
    return text(spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] }).stdout);
  };
  const granted = await Promise.all([grant('x', 'y'), grant('y', 'x')]);
  assert.equal(Number(granted[0]) + Number(granted[1]), 10 * 3);
});

test('a directory that cannot be used is a fault that says so', async () => {
  await assert.rejects(
    open({}, '/dev/null/processes'),
    (fault) => isFault(fault) && /\/dev\/null\/processes cannot be used/.test(fault.message),
  );
});

test('a template without a command is refused before any order', () => {
  assert.equal(api.review?.({ template_id: 't' })[0]?.path, '/command');
});
