import { setTimeout as sleep } from 'node:timers/promises';
import { parseNodes } from '../../../../plugins/slurm/controller/parse-nodes.ts';
import { readFileSync } from 'node:fs';
import { processesOf } from '../real/end-processes.ts';
import type { Stage } from './faults.ts';
import type { JobReport } from './jobs.ts';
import { nodeNames, type Plan } from './plan.ts';

/** Slurm needs half a minute to see that a node is dead, and muster as long; ResumeTimeout is 30 s. */
const restMs = 150_000;

/** What is not as it must be after a play. Nothing: the cluster is at rest, and each part says so. */
export async function judge(stage: Stage, plan: Plan, _jobs: readonly JobReport[]): Promise<readonly string[]> {
  const end = performance.now() + restMs;
  let restless: readonly string[] = [];
  do {
    restless = await whatMoves(stage);
    if (restless.length === 0) return await twoComparisons(stage);
    await sleep(500);
  } while (performance.now() < end);
  return [`${restMs / 1000} s after play ${plan.number}:`, ...restless];
}

/** A node that did not respond before it was off would not be used after a restart of slurmctld. */
const restful = new Set(['CLOUD', 'POWERED_DOWN']);

/** Machines without a node, nodes without a machine, and what is on its way. */
async function whatMoves({ cluster }: Stage): Promise<readonly string[]> {
  const nodes = parseNodes(await cluster.slurm('scontrol', 'show', 'node', '-o'));
  const up = nodes.filter(({ flags }) => !flags.has('POWERED_DOWN'));
  const moving = nodes.filter(({ base, flags }) => base !== 'IDLE' || [...flags].some((flag) => !restful.has(flag)));
  const queue = await cluster.slurm('squeue', '-h', '-o', '%i %T');
  const { nodes: views, differences } = JSON.parse(await cluster.muster('slurm', 'status', '--output', 'json'));
  const { machines } = JSON.parse(await cluster.muster('machines', 'list', '--all-resources', '--output', 'json'));
  const { requests } = JSON.parse(await cluster.muster('requests', 'list', '--all-resources', '--output', 'json'));
  const running = cluster.machines();
  return [
    ...(nodes.length === nodeNames.length ? [] : [`slurmctld knows ${nodes.length} nodes`]),
    ...[...new Set([...moving, ...up])].map(
      ({ name, base, flags, reason }) => `Slurm: ${name} ${[base, ...flags].join('+')} ${reason}`,
    ),
    ...(queue === '' ? [] : [`Slurm: jobs ${queue}`]),
    ...views.map((view: object) => `muster: ${JSON.stringify(view)}`),
    ...(differences === 0 ? [] : [`muster: ${differences} differences`]),
    ...machines.flatMap(({ machine_id, status }: { machine_id: string; status: string }) =>
      status === 'terminated' || status === 'failed' ? [] : [`muster: machine ${machine_id} is ${status}`],
    ),
    ...requests.flatMap(({ request_id, status }: { request_id: string; status: string }) =>
      /completed|failed|cancelled/.test(status) ? [] : [`muster: request ${request_id} is ${status}`],
    ),
    ...running.map(({ pid, node }) => `the host: process ${pid} of ${node}`),
  ];
}

/** Both views are equal after two comparisons, and nothing of a node runs that no list shows. */
async function twoComparisons({ cluster }: Stage): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (let times = 1; times <= 2; times += 1) {
    const { differences, returning } = JSON.parse(await cluster.muster('slurm', 'sync', '--output', 'json'));
    if (differences.length > 0 || returning > 0)
      wrong.push(`comparison ${times}: ${JSON.stringify(differences)}, returning ${returning}`);
  }
  const slurmds = processesOf(cluster.directory).filter((pid) => isSlurmd(pid));
  if (slurmds.length > 0) wrong.push(`slurmd runs as ${slurmds.join()}, and no machine does`);
  return wrong;
}

function isSlurmd(pid: number): boolean {
  try {
    return /^slurm(d|stepd)$/m.test(readFileSync(`/proc/${pid}/comm`, 'utf8'));
  } catch {
    return false;
  }
}
