import { createHash } from 'node:crypto';
import type { ServiceRecordChange } from '../../../core/index.ts';
import { nodeKey, orderKey, type ClusterRecords, type NodeState, type OrderState } from './records.ts';

/** The nodes of one job that Slurm resumes. */
export interface ResumedJob {
  readonly job_id: number;
  readonly nodes: readonly string[];
}

export interface SwitchOn {
  readonly cluster: string;
  readonly names: readonly string[];
  readonly jobs: readonly ResumedJob[];
  readonly setOf: ReadonlyMap<string, number>;
  readonly templateOf: (set: number) => string;
  readonly now: number;
}

export interface Planned {
  readonly order: OrderState;
  /** In groups that fit into a commit; the last one contains the order. */
  readonly commits: readonly (readonly ServiceRecordChange[])[];
}

/** The most records of one commit. */
const mostAtOnce = 90;

/**
 * The orders for nodes that shall be on: one for each job and node set, and one for each set of nodes without a job. A
 * node that is on already and waits for its machine stays as it is. A node whose machine joined, or that was off, gets
 * a new generation. Pure.
 */
export function switchOn(from: ClusterRecords, { cluster, names, jobs, setOf, templateOf, now }: SwitchOn): Planned[] {
  const due = new Set(names.filter((name) => setOf.has(name) && !isWaiting(from, name)));
  const jobOf = new Map<string, ResumedJob>();
  for (const job of jobs) for (const name of job.nodes) if (due.has(name) && !jobOf.has(name)) jobOf.set(name, job);
  const groups = Map.groupBy(due, (name) => `${setOf.get(name)} ${jobOf.get(name)?.job_id ?? ''}`);
  return [...groups.values()].map((group): Planned => {
    const [first = ''] = group;
    const set = setOf.get(first) ?? 0;
    const job = jobOf.get(first);
    const generations = group.map((name) => generationOf(from, name) + 1);
    const request_id = requestId(cluster, group, generations);
    const order: OrderState = {
      request_id,
      template: templateOf(set),
      set,
      names: group,
      all_or_nothing: job !== undefined && group.length > 1,
      ...(job ? { job: job.job_id } : {}),
      at: now,
    };
    const changes = group.map((name, index): ServiceRecordChange => {
      const value: NodeState = { state: 'on', generation: generations[index] ?? 1, order: request_id, at: now };
      return { key: nodeKey(cluster, name), version: from.nodes.get(name)?.version ?? 0, value };
    });
    const last = { key: orderKey(cluster, request_id), version: 0, value: order };
    return { order, commits: inCommits([...changes, last]) };
  });
}

/** Whether a node is on, and its machine is ordered and has not joined yet. */
function isWaiting({ nodes, orders }: ClusterRecords, name: string): boolean {
  const node = nodes.get(name)?.value;
  return node?.state === 'on' && node.joined_at === undefined && node.order !== undefined && orders.has(node.order);
}

const generationOf = ({ nodes }: ClusterRecords, name: string): number => nodes.get(name)?.value.generation ?? 0;

/** The same nodes in the same generation have the same request, however often they are ordered. */
function requestId(cluster: string, names: readonly string[], generations: readonly number[]): string {
  const text = JSON.stringify([cluster, names.map((name, index) => [name, generations[index]])]);
  return `req-slurm-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}

function inCommits(changes: readonly ServiceRecordChange[]): ServiceRecordChange[][] {
  const commits: ServiceRecordChange[][] = [];
  for (let at = 0; at < changes.length; at += mostAtOnce) commits.push(changes.slice(at, at + mostAtOnce));
  return commits;
}

/** The changes that switch nodes off. A node that is off already stays as it is. Pure. */
export function switchOff(
  { nodes }: ClusterRecords,
  cluster: string,
  names: readonly string[],
  now: number,
): ServiceRecordChange[][] {
  const changes = names.flatMap((name): ServiceRecordChange[] => {
    const kept = nodes.get(name);
    if (kept?.value.state !== 'on') return [];
    const { joined_at: _, ...node } = kept.value;
    const value: NodeState = { ...node, state: 'off', generation: node.generation + 1, at: now };
    return [{ key: nodeKey(cluster, name), version: kept.version, value }];
  });
  return inCommits(changes);
}
