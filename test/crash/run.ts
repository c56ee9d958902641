/**
 * `node test/crash/run.ts --runs N --seed S`: kills the broker N times at moments that chance chooses, among requests, returns and cancels that
 * chance chooses, with answers of the cloud that come late or not at all; the same seed chooses the same. The last line says how many kills
 * were survived, or which seed failed.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { KnobChange } from './support/cloud.ts';
import { dialects } from './support/dialect.ts';
import { dice, type Dice } from './support/dice.ts';
import { Plot } from './support/plot.ts';
import { Stage } from './support/stage.ts';
import { templates } from './support/templates.ts';

const killsEach = 5;
const { values } = parseArgs({
  options: { runs: { type: 'string', default: '25' }, seed: { type: 'string', default: String(Date.now() % 1e6) } },
});
const runs = Number(values.runs);
let survived = 0;
for (let seed = Number(values.seed); survived < runs; seed++) {
  const kills = Math.min(killsEach, runs - survived);
  const failure = await round(seed, kills);
  if (failure !== undefined) {
    process.stdout.write(`${failure}\nSeed ${seed} failed; again with --runs ${kills} --seed ${seed}.\n`);
    process.exit(1);
  }
  survived += kills;
  process.stderr.write(`seed ${seed}: ${survived} kills\n`);
}
process.stdout.write(`${survived} kills survived\n`);

/** Several kills on one data directory, then the comparison. What went wrong, if something did. */
async function round(seed: number, kills: number): Promise<string | undefined> {
  const chance = dice(seed);
  const dialect = chance.pick(dialects);
  const scarce = chance.roll(3) === 0;
  const knobs = { ...troubles(chance), ...(scarce ? scarcity(chance) : {}) };
  const stage = await Stage.open({ dialect, templates, knobs, config: { cloud_read_timeout: 2 } });
  const plot = new Plot(stage, chance, scarce);
  try {
    for (let kill = 0; kill < kills; kill++) {
      const acts = plot.act(1 + chance.roll(4));
      await wait(chance.roll(chance.pick([30, 300, 1500])));
      await stage.kill();
      await acts;
      await stage.start();
    }
    await stage.cloud.turn({ latency_ms: {}, faults: [] });
    await plot.check();
    await stage.close();
    return undefined;
  } catch (error) {
    const account = await stage.account().catch(String);
    await stage.close({ keep: true });
    return `${account}\n${error instanceof Error ? error.stack : String(error)}`;
  }
}

function troubles(chance: Dice): KnobChange {
  const slow = () => chance.pick([0, 0, 100, 600]);
  const actions = ['RunInstances', 'CreateFleet', 'TerminateInstances', 'CreateLaunchTemplate', 'DescribeInstances'];
  const faulty = chance.pick(actions);
  const then = chance.pick(['drop', 'cut', 'html', 'error'] as const);
  return {
    boot_ms: chance.pick([100, 500, 3000]),
    shutdown_ms: chance.pick([100, 1000]),
    visible_ms: { id: chance.pick([0, 1000]), filter: chance.pick([0, 1500]), tag: chance.pick([0, 2500]) },
    latency_ms: Object.fromEntries(actions.map((action) => [action, slow()])),
    faults: [
      { action: faulty, nth: 1 + chance.roll(4), times: 1 + chance.roll(3), effect: chance.pick(['execute', 'skip'] as const), then },
    ],
  };
}

/** Not all that is asked for can be had, or not at once. */
function scarcity(chance: Dice): KnobChange {
  return chance.pick<KnobChange>([
    { capacity: [{ count: 3 }, { instance_type: 'm5.large', count: 0 }] },
    { partial: [{ action: '*', deliver: 2, times: 3 }] },
    { late_failures: [{ times: 4 }] },
    {
      throttle: {
        next: [
          { action: 'RunInstances', times: 2 },
          { action: 'CreateFleet', times: 2 },
          { action: 'TerminateInstances', times: 2 },
        ],
      },
    },
  ]);
}
