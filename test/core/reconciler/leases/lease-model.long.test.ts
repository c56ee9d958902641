import test, { type ExecutionContext } from 'ava';
import { isBrokerError } from '../../../../core/index.ts';
import { loopBench, type LoopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';

const runs = 40;
const stepsOfRun = 25;
/** A lease ends at a tick, and its return and release take some observations. */
const slackMs = 20_000;

/** What the callers were told about a machine, in time that no clock setting changes. */
interface Ideal {
  readonly id: string;
  end: number;
  held: number;
  returned: boolean;
}

/** Repeatable random numbers. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const endOf = ({ end, held }: Ideal): number => Math.max(end, held);

/** Runs a call while time passes. `kill`: before which commit from then on the broker is killed; 0: it is not. */
async function during<T>(bench: LoopBench, call: Promise<T>, kill = 0): Promise<T | 'refused'> {
  // A broker at rest does not come to so many commits.
  const passes = kill === 0 ? bench.clock.advance(1_000) : bench.kill(kill).catch(() => bench.restart());
  const [outcome] = await Promise.allSettled([call, passes]);
  if (outcome.status === 'fulfilled') return outcome.value;
  if (isBrokerError(outcome.reason) && outcome.reason.code === 'CONFLICT') return 'refused';
  throw outcome.reason;
}

async function play(t: ExecutionContext, seed: number): Promise<void> {
  const any = random(seed);
  const east = new ScriptedCloud();
  const bench = await loopBench({ east }, { rows_per_commit: 1 + any(4) });
  const ids: string[] = [];
  for (let i = 0; i < 3; i += 1) ids.push(await bench.request(1 + any(4), { lease: 60 + any(300) }));
  await bench.clock.advance(2_000);
  east.boot();
  await bench.clock.advance(5_000);
  const machines: Ideal[] = [];
  const ahead = (wall: number) => bench.clock.monotonic() + wall - bench.clock.now();
  for (const id of ids)
    for (const { machine_id, expires_at = 0 } of (await bench.status(id)).machines)
      machines.push({ id: machine_id, end: ahead(expires_at), held: 0, returned: false });
  let before = bench.clock.monotonic();

  const check = (step: string): void => {
    const now = bench.clock.monotonic();
    const live = new Set(east.live());
    for (const machine of machines) {
      const what = `seed ${seed}, ${step}: ${machine.id}`;
      if (!machine.returned && endOf(machine) > now) t.true(live.has(machine.id), `${what} ended early`);
      if (endOf(machine) + slackMs < before) t.false(live.has(machine.id), `${what} did not end`);
    }
  };

  for (let index = 0; index < stepsOfRun; index += 1) {
    const some = machines.filter(() => any(3) === 0).slice(0, 1 + any(4));
    const names = some.map(({ id }) => id);
    const action = any(8);
    const step = `step ${index}, action ${action}`;
    before = bench.clock.monotonic();
    if (action <= 1 && some.length > 0) {
      const seconds = 1 + any(300);
      const answer = await during(bench, bench.leaseCommands.extend(names, seconds), any(3));
      const isOver = some.some((machine) => machine.returned || endOf(machine) < bench.clock.monotonic());
      if (answer === 'refused') t.true(isOver, `seed ${seed}, ${step}: refused without a reason`);
      else
        for (const { machine, expires_at } of answer.done) {
          const mine = some.find(({ id }) => id === machine.machine_id);
          if (!mine) continue;
          mine.end += seconds * 1000;
          t.true(Math.abs(ahead(expires_at) - mine.end) < 2, `seed ${seed}, ${step}: answered another end`);
        }
    } else if (action === 2 && some.length > 0) {
      const seconds = any(3) === 0 ? 0 : 1 + any(400);
      const answer = await during(bench, bench.leaseCommands.hold(names, seconds, 'a test'), any(3));
      if (answer !== 'refused')
        for (const { machine, held_until } of answer.done) {
          const mine = some.find(({ id }) => id === machine.machine_id);
          if (mine) mine.held = held_until === undefined ? 0 : ahead(held_until);
        }
    } else if (action === 3 && some.length > 0) {
      const force = any(4) === 0;
      const isHeld = some.some(({ held }) => held > before);
      const answer = await during(bench, bench.requestService.returnMachines(names, 60, { force }), any(4));
      if (answer === 'refused') t.true(isHeld && !force, `seed ${seed}, ${step}: refused without a hold`);
      else for (const machine of some) machine.returned = true;
    } else if (action === 4) {
      bench.clock.jump((any(2) === 0 ? 1 : -1) * any(7_200_000));
      await bench.clock.advance(2_000);
    } else if (action === 5) await bench.restart();
    else await bench.clock.advance(1_000 + any(90_000));
    await bench.clock.advance(3_000);
    check(step);
  }
  // At the end nothing is left that holds a machine.
  const last = Math.max(...machines.map(endOf));
  await bench.clock.advance(Math.max(0, last - bench.clock.monotonic()) + slackMs);
  t.deepEqual(east.live(), [], `seed ${seed}: machines are left`);
  t.is(await bench.store.count('signal', { applied: false }), 0);
  await bench.close();
}

const first = Number(process.env['SEED'] ?? 1);
for (let seed = first; seed < first + runs; seed += 10)
  test(`leases and holds last as long as callers were told, seeds ${seed} to ${seed + 9}`, async (t) => {
    for (let each = seed; each < seed + 10; each += 1) await play(t, each);
  });
