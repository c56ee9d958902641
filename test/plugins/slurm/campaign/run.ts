/**
 * `npm run slurm:campaign -- --runs N --seed S`: random plays with a real slurmctld, real slurmd processes and real
 * jobs, in which broker, slurmctld, machines and programs are killed, machines are reclaimed or do not come, and the
 * programs are called at the wrong time. After each play every job is done, no machine is without a node, no node
 * without a machine, and the views of Slurm and muster are equal. The last line says how many plays there were; a play
 * that fails says its seed and its steps, and `--from` plays it again.
 */
import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Cluster } from '../real/cluster.ts';
import { endWithThisProcess } from '../real/end-with-this-process.ts';
import { machineCommand } from './faults.ts';
import { planOf, sets } from './plan.ts';
import { play, type Report } from './play.ts';
import { Tally } from './tally.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(Date.now() % 1e6) },
    /** The number of the first play. */
    from: { type: 'string', default: '0' },
    'at-once': { type: 'string', default: '3' },
    /** No play begins after so many minutes. */
    minutes: { type: 'string', default: '600' },
    /** Where the steps of all plays are written. */
    log: { type: 'string' },
  },
});
const [runs, seed, from] = [Number(values.runs), Number(values.seed), Number(values.from)];
const end = performance.now() + Number(values.minutes) * 60_000;
const tally = new Tally();
const failed: Report[] = [];

/**
 * Slurm's times, as short as it allows, so that a play takes half a minute. Without `InactiveLimit`, a slurmctld that
 * was killed keeps the nodes of an `srun` that has ended, and a job that needs them waits for ever.
 */
const conf = { SuspendTime: 2, SuspendTimeout: 3, ResumeTimeout: 30, InactiveLimit: 30 };
let next = from;

/** Plays one play after the other on a cluster. */
async function lane(): Promise<void> {
  const cluster = new Cluster({
    sets: sets.map((set) => ({ ...set, command: (directory: string) => machineCommand(directory) })),
    conf,
    settings: { rest_s: 5 },
    attacked: true,
  });
  const isStopped = endWithThisProcess(cluster);
  try {
    await cluster.start();
    while (next < from + runs && failed.length === 0 && performance.now() < end) {
      const report = await play(planOf(seed, next++), cluster);
      if (values.log) appendFileSync(values.log, `${told(report)}\n`);
      if (report.wrong.length > 0) {
        failed.push(report);
        process.stdout.write(`${told(report)}\n${cluster.logs()}\n`);
        return;
      }
      tally.add(report);
      process.stderr.write(`play ${report.plan.number}: ${report.log.at(-1)?.trim().split(' ')[0]} ms\n`);
    }
  } finally {
    tally.crashes += cluster.crashes;
    await cluster.stop();
    isStopped();
  }
}

function told({ plan, log, wrong }: Report): string {
  return [
    `play ${plan.number} of seed ${plan.seed}: ${JSON.stringify({ jobs: plan.jobs, faults: plan.faults })}`,
    ...log,
    ...wrong.map((line) => `WRONG: ${line}`),
    wrong.length > 0 ? `Again: npm run slurm:campaign -- --seed ${seed} --from ${plan.number} --runs 1` : '',
  ].join('\n');
}

const lanes = await Promise.allSettled(Array.from({ length: Math.min(runs, Number(values['at-once'])) }, lane));
for (const each of lanes) if (each.status === 'rejected') process.stdout.write(`${String(each.reason)}\n`);
process.stdout.write(`${tally.table()}\n`);
if (failed.length > 0 || lanes.some(({ status }) => status === 'rejected')) {
  process.stdout.write(`${failed.length} plays failed, ${tally.plays} did not, from seed ${seed}\n`);
  process.exit(1);
}
process.stdout.write(
  `${tally.plays} plays with a real slurmctld, none failed, from seed ${seed}; the next is --from ${from + tally.plays}\n`,
);
