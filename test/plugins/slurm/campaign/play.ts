import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { disarm } from '../real/armed.ts';
import type { Cluster } from '../real/cluster.ts';
import { staging } from '../real/staging.ts';
import { inflict, type Stage } from './faults.ts';
import { judge } from './judge.ts';
import { runJob, type JobReport } from './jobs.ts';
import { sets, type Plan } from './plan.ts';

/** What came of a play. */
export interface Report {
  readonly plan: Plan;
  readonly jobs: readonly JobReport[];
  /** What happened when, in milliseconds since the beginning. */
  readonly log: readonly string[];
  readonly wrong: readonly string[];
}

/** Plays a plan on a cluster at rest. Nothing wrong: the cluster is at rest again. */
export async function play(plan: Plan, cluster: Cluster): Promise<Report> {
  const began = performance.now();
  const log: string[] = [];
  const note = (text: string): void =>
    void log.push(`${String(Math.round(performance.now() - began)).padStart(6)} ${text}`);
  const isOver = new AbortController();
  const stage: Stage = { cluster, note, over: isOver.signal, brokers: pLimit(1), controllers: pLimit(1) };
  const wrong: string[] = [];
  const caught = (error: unknown): void => void wrong.push(error instanceof Error ? error.message : String(error));
  const faults = plan.faults.map((fault) =>
    sleep(fault.at)
      .then(() => inflict(stage, fault))
      .catch(caught),
  );
  const jobs = await Promise.all(
    plan.jobs.map(async (job, index): Promise<JobReport> => {
      await sleep(job.at);
      return runJob(stage, plan, job, index).catch((error: unknown) => {
        caught(error);
        return { job, end: 'unknown' };
      });
    }),
  );
  note('the jobs have ended');
  // What is armed and was not met by now may still be met while the nodes are suspended.
  await sleep(8_000);
  isOver.abort();
  await Promise.all(faults);
  disarm(cluster.directory);
  for (const { name } of sets) staging.capacity(cluster.processesOf(name), undefined);
  if (!cluster.isBrokerAlive) await cluster.startBroker().catch(caught);
  // A slurmctld that was killed may remember an allocation whose srun has ended: nobody else tells it.
  for (const [index, { by }] of plan.jobs.entries())
    if (by === 'srun') await cluster.slurm('scancel', '-n', `${plan.number}.${index}`).catch(caught);
  if (wrong.length === 0) wrong.push(...(await judge(stage, plan, jobs).catch((error: unknown) => [String(error)])));
  note('judged');
  return { plan, jobs, log, wrong };
}
