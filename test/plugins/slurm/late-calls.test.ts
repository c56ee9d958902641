import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { BrokerError, type ServiceAccess, type ServiceRecordChange } from '../../../core/index.ts';
import { order } from '../../../plugins/slurm/nodes/order.ts';
import { resume } from '../../../plugins/slurm/operations/resume.ts';
import { resumeFail, suspend } from '../../../plugins/slurm/operations/suspend.ts';
import type { SlurmSettings } from '../../../plugins/slurm/settings.ts';
import { Looks } from '../../../plugins/slurm/sync/looks.ts';
import { sync } from '../../../plugins/slurm/sync/sync.ts';

/** What the tests look at in the input of a call. */
interface Input {
  readonly names?: readonly string[];
}

/**
 * Records in memory, a broker that accepts everything, a scontrol that prints what `say` was told and sets no state of
 * a-1 and a-2, and a squeue that prints what `run` was told.
 */
function stage(t: ExecutionContext) {
  const bin = mkdtempSync(join(tmpdir(), 'late-calls-'));
  t.teardown(() => rmSync(bin, { recursive: true, force: true }));
  writeFileSync(
    join(bin, 'scontrol'),
    `#!/bin/sh\n[ "$1" = show ] && exec cat '${join(bin, 'nodes')}'\ncase "$2" in nodename=a-[12]) echo "$2" >&2; exit 1;; esac\nexit 0\n`,
  );
  chmodSync(join(bin, 'scontrol'), 0o755);
  const run = (jobs: string) => {
    writeFileSync(join(bin, 'squeue'), `#!/bin/sh\necho '${jobs}'\n`);
    chmodSync(join(bin, 'squeue'), 0o755);
  };
  run('');
  const say = (states: Readonly<Record<string, string>>) =>
    writeFileSync(
      join(bin, 'nodes'),
      Object.entries(states)
        .map(([name, state]) => `NodeName=${name} CPUTot=2 State=${state} ThreadsPerCore=1\n`)
        .join(''),
    );
  const kept = new Map<string, { version: number; value: unknown }>();
  const calls: { readonly operation: string; readonly input: Input }[] = [];
  const time = { now: 1_000 };
  const before: { commit(changes: readonly ServiceRecordChange[]): void } = { commit: () => undefined };
  const nothing = () => undefined;
  const access = {
    settings: {
      cluster: 'c',
      node_sets: [
        { nodes: 'a-[1-4]', template: 'one' },
        { nodes: 'b-[1-4]', template: 'two' },
      ],
      bin,
      request_timeout: 600,
      sync_s: 15,
      rest_s: 180,
    },
    clock: { now: () => time.now },
    log: { info: nothing, warn: nothing, debug: nothing, error: nothing },
    records: {
      list: async () => [...kept].map(([key, each]) => ({ key, ...each })),
      async commit(changes: readonly ServiceRecordChange[]) {
        before.commit(changes);
        if (changes.some(({ key, version }) => (kept.get(key)?.version ?? 0) !== version))
          throw new BrokerError('CONFLICT', 'It changed.');
        for (const { key, version, value } of changes) kept.set(key, { version: version + 1, value });
      },
      remove: async ({ key }: { key: string }) => void kept.delete(key),
    },
    async call(operation: string, input: Input) {
      calls.push({ operation, input });
      return { requests: [] };
    },
  } as unknown as ServiceAccess<SlurmSettings>;
  return { access, say, run, kept, calls, time, before };
}

/**
 * The answer to a call, once slurmctld has answered it: on a busy computer a program may not start in the time that
 * the call has for it, and then nothing is ordered or ended.
 */
async function answered<Answer>(call: () => Promise<Answer>, hasActed: (answer: Answer) => boolean): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await call();
    if (hasActed(answer) || tries === 20) return answer;
  }
}
const released = (operation: typeof suspend, nodes: string, access: ServiceAccess<SlurmSettings>) =>
  answered(
    () => operation.handle({ nodes }, access),
    (answer) => answer.released !== '',
  );

for (const [verb, operation] of [
  ['suspend', suspend],
  ['resume-fail', resumeFail],
] as const)
  test(`a ${verb} that is late leaves nodes that Slurm starts, uses or keeps alone`, async (t) => {
    const { access, say } = stage(t);
    say({
      'a-1': 'ALLOCATED+CLOUD',
      'a-2': 'IDLE+CLOUD+POWERING_UP',
      'a-3': 'DOWN+CLOUD+POWERED_DOWN',
      'a-4': 'IDLE+CLOUD',
      'b-1': 'IDLE+CLOUD+POWERING_DOWN',
      'b-2': 'MIXED+CLOUD+POWER_DOWN',
    });
    await resume.handle({ nodes: 'a-[1-4],b-[1-3]' }, access);
    t.deepEqual(await released(operation, 'a-[1-4],b-[1-3]', access), {
      released: 'a-3,b-[1,3]',
      passed_over: 'a-[1-2,4],b-2',
    });
  });

for (const [verb, operation] of [
  ['suspend', suspend],
  ['resume-fail', resumeFail],
] as const)
  test(`a ${verb} that is late leaves nodes with a job alone that slurmctld takes for off`, async (t) => {
    const { access, say, run } = stage(t);
    say({
      'a-1': 'MIXED+CLOUD+POWERED_DOWN',
      'a-2': 'MIXED+CLOUD+POWERED_DOWN',
      'a-3': 'IDLE+CLOUD+POWERED_DOWN',
      'a-4': 'MIXED+CLOUD+POWERING_DOWN',
    });
    // The second job began after slurmctld.
    run('1795680399 a-1\n1999999999 a-4');
    await order(access, ['a-1', 'a-2', 'a-3', 'a-4'], []);
    t.deepEqual(await released(operation, 'a-[1-4]', access), { released: 'a-[2-3]', passed_over: 'a-[1,4]' });
  });

test('a resume of a node with a job that slurmctld takes for one that starts orders nothing', async (t) => {
  const { access, say, run, kept } = stage(t);
  await order(access, ['a-1', 'a-2'], []);
  for (const name of ['a-1', 'a-2']) {
    const { version, value } = kept.get(`c/node/${name}`) ?? t.fail();
    kept.set(`c/node/${name}`, { version, value: { ...(value as object), joined_at: 500 } });
  }
  say({ 'a-1': 'MIXED+CLOUD+NOT_RESPONDING+POWERING_UP', 'a-2': 'ALLOCATED+CLOUD+POWERING_UP' });
  run('1795680399 a-1');
  t.like(
    await answered(
      () => resume.handle({ nodes: 'a-[1-2]' }, access),
      ({ ordered }) => ordered !== '',
    ),
    { ordered: 'a-2' },
  );
});

test('without an answer of slurmctld a resume-fail ends nothing', async (t) => {
  const { access } = stage(t);
  await order(access, ['a-1'], []);
  t.deepEqual(await resumeFail.handle({ nodes: 'a-1' }, access), { released: '', passed_over: 'a-1' });
});

test('jobs whose short lists have too many names together are refused', async (t) => {
  const { access } = stage(t);
  const jobs = Array.from({ length: 20_000 }, (_, job_id) => ({ job_id, nodes: 'a[1-65536]' }));
  await t.throwsAsync(async () => resume.handle({ nodes: 'a-1', jobs }, access), { message: /names/ });
});

test('an order whose second group was changed by another call places the first group, too', async (t) => {
  const { access, before, calls } = stage(t);
  let isFirst = true;
  before.commit = (changes) => {
    if (!isFirst || !changes.some(({ key }) => key.includes('/node/b-'))) return;
    isFirst = false;
    throw new BrokerError('CONFLICT', 'It changed.');
  };
  const placed = await order(access, ['a-1', 'b-1'], []);
  t.deepEqual(
    placed.map(({ names }) => names),
    [['a-1'], ['b-1']],
  );
  t.is(calls.filter(({ operation }) => operation === 'create_request').length, 2);
});

test('an order that nobody wants is kept while another process may still make its request', async (t) => {
  const { access, say, kept, time } = stage(t);
  say({ 'a-1': 'IDLE+CLOUD+POWERED_DOWN' });
  await order(access, ['a-1'], []);
  await released(suspend, 'a-1', access);
  const orders = () => [...kept.keys()].filter((key) => key.includes('/order/')).length;
  await sync(access, new Looks());
  t.is(orders(), 1);
  time.now += 3_700_000;
  await sync(access, new Looks());
  t.is(orders(), 0);
});

test('the comparison that switches a node off returns its machine at once', async (t) => {
  const { access, say, calls, time } = stage(t);
  const call = access.call.bind(access);
  const machine = { machine_id: 'm-1', provider_instance: 'east', status: 'running', assigned_name: 'b-1' };
  const answer = async (operation: string, input: { readonly request_ids?: readonly string[] }) => {
    await call(operation, input);
    const [request_id] = input.request_ids ?? [];
    return { requests: request_id === undefined ? [] : [{ request_id, status: 'completed', machines: [machine] }] };
  };
  const with1 = { ...access, call: answer } as unknown as ServiceAccess<SlurmSettings>;
  await order(with1, ['b-1'], []);
  say({ 'b-1': 'IDLE+CLOUD+POWERED_DOWN' });
  const looks = new Looks();
  const returned = () => calls.filter(({ operation }) => operation === 'create_return_request').length;
  await sync(with1, looks);
  t.is(returned(), 0);
  time.now += 15_000;
  await sync(with1, looks);
  t.is(returned(), 1);
});

test('a node whose state scontrol does not set costs the other nodes nothing', async (t) => {
  const { access, say, calls, time } = stage(t);
  say({ 'a-1': 'IDLE+CLOUD', 'a-2': 'DOWN+CLOUD+POWERED_DOWN Reason=muster:x', 'b-1': 'IDLE+CLOUD+POWERING_UP' });
  const looks = new Looks();
  await t.throwsAsync(sync(access, looks), { message: /^scontrol update nodename=a-2 failed/ });
  time.now += 15_000;
  await t.throwsAsync(sync(access, looks), {
    message: /^scontrol update nodename=a-1 failed: .*; scontrol update nodename=a-2 failed/,
  });
  t.deepEqual(
    calls.filter(({ input }) => input.names).map(({ input }) => input.names),
    [['b-1']],
  );
});
