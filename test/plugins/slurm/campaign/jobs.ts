import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stage } from './faults.ts';
import { mayCostJobs, type Plan, type PlannedJob } from './plan.ts';

/**
 * What came of a job. `given-up`: Slurm ended it, as it does with an allocation of `srun` whose node fails. `forgotten`:
 * slurmctld was killed before it saved the job.
 */
export interface JobReport {
  readonly job: PlannedJob;
  readonly end: 'completed' | 'given-up' | 'forgotten' | 'unknown';
  readonly restarts?: number;
}

/** Requeued jobs wait two minutes, unless they are told to start. */
const patienceMs = 300_000;
/**
 * So long Slurm may still end what a requeued job left on its node. If the job starts there before, Slurm takes the
 * node for idle and suspends it, and the job never ends.
 */
const cleaningMs = 15_000;
/** slurmctld saves its jobs within so many ms. */
const savedMs = 10_000;

/** Runs a job until it ended. Rejects when it does not end as it should. */
export async function runJob(stage: Stage, plan: Plan, job: PlannedJob, index: number): Promise<JobReport> {
  const given = [`-N${job.nodes}`, ...(job.set === undefined ? [] : ['-C', job.set])];
  const name = `${plan.number}.${index}`;
  stage.note(`${name}: ${job.by} ${given.join(' ')} for ${job.seconds} s`);
  const report = await (job.by === 'srun' ? runNow : runBatch)(stage, { plan, job, name, given });
  stage.note(`${name}: ${report.end}${report.restarts ? ` after ${report.restarts} restarts` : ''}`);
  return report;
}

interface Run {
  readonly plan: Plan;
  readonly job: PlannedJob;
  readonly name: string;
  readonly given: readonly string[];
}

async function runNow({ cluster, note }: Stage, { plan, job, name, given }: Run): Promise<JobReport> {
  const command = ['sh', '-c', `echo $SLURMD_NODENAME; sleep ${job.seconds}`];
  try {
    const out = await cluster.slurm('srun', ...given, '-J', name, ...command);
    const nodes = new Set(out.split('\n').filter((line) => line !== ''));
    if (nodes.size !== job.nodes) throw new Error(`${name}: srun ran on ${[...nodes].join()}, not ${job.nodes} nodes`);
    return { job, end: 'completed' };
  } catch (error) {
    if (!mayCostJobs(plan)) throw error;
    note(`${name}: ${String(error).slice(0, 300)}`);
    // The allocation of an srun that gave up, or was killed with its slurmctld, must not live on.
    await cluster.slurm('scancel', '-n', name).catch(() => undefined);
    return { job, end: 'given-up' };
  }
}

async function runBatch(stage: Stage, { plan, job, name, given }: Run): Promise<JobReport> {
  const { cluster, note } = stage;
  const ended = join(cluster.directory, `ended-${plan.seed}-${name}`);
  const script = `srun sh -c 'echo $SLURMD_NODENAME'; sleep ${job.seconds}; echo $SLURM_JOB_ID >>${ended}`;
  const id = await submit(stage, [...given, '-J', name, '--requeue', '--wrap', script]);
  const submitted = performance.now();
  const end = submitted + patienceMs;
  let pending = submitted;
  for (let last = ''; ; ) {
    const text = await cluster.slurm('scontrol', 'show', 'job', id, '-o').catch((error: unknown) => String(error));
    const of = (field: string): string => new RegExp(`\\b${field}=(\\S+)`).exec(text)?.[1] ?? '';
    const state = of('JobState');
    if (state !== 'PENDING') pending = performance.now();
    if (state !== last) note(`${name}: job ${id} ${state} ${of('Reason')} ${of('NodeList')}`);
    last = state;
    if (state === 'COMPLETED') {
      const times = existsSync(ended) ? readFileSync(ended, 'utf8').trim().split('\n').length : 0;
      if (times === 0) throw new Error(`${name}: job ${id} is completed, and its script did not end`);
      if (times > 1 && !mayCostJobs(plan)) throw new Error(`${name}: job ${id} ran ${times} times`);
      return { job, end: 'completed', restarts: Number(of('Restarts')) };
    }
    const isLost = /Invalid job id/.test(text) && plan.faults.some((fault) => fault.do === 'kill-slurmctld');
    if (isLost && performance.now() - submitted > savedMs) return { job, end: 'forgotten' };
    if (/FAILED|CANCELLED|NODE_FAIL|TIMEOUT|BOOT_FAIL/.test(state)) throw new Error(`${name}: job ${id} is ${text}`);
    if (state === 'PENDING' && performance.now() - pending > cleaningMs) await hurry(cluster, id, of('Reason'));
    if (performance.now() > end) throw new Error(`${name}: job ${id} does not end: ${text}`);
    await sleep(500);
  }
}

/** Submits a job, also while slurmctld is away. */
async function submit({ cluster, note }: Stage, given: readonly string[]): Promise<string> {
  for (let tries = 1; ; tries += 1)
    try {
      return await cluster.submit(...given);
    } catch (error) {
      if (tries === 60) throw error;
      note(`sbatch: ${String(error).slice(0, 200)}`);
      await sleep(1_000);
    }
}

/** A requeued job waits for two minutes; a person would let it start, or release it. */
async function hurry(cluster: Stage['cluster'], id: string, reason: string): Promise<void> {
  const args = /held|Held/.test(reason)
    ? ['release', id]
    : reason === 'BeginTime'
      ? ['update', `jobid=${id}`, 'StartTime=now']
      : undefined;
  // slurmctld may be away.
  if (args) await cluster.slurm('scontrol', ...args).catch(() => undefined);
}
