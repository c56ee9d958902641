import type { MachineAnswer } from '../../../core/index.ts';
import { isAllocated, phaseOf, type SlurmNode } from '../controller/parse-nodes.ts';
import { isKept, mayLive, type OrderedRequest } from '../nodes/machines.ts';
import type { ClusterRecords, OrderState } from '../nodes/records.ts';

/** Something to do for one node. */
export type NodeAction =
  /** Slurm waits for a machine, and none is ordered. */
  | { readonly do: 'order' }
  /** The node will not get, or has lost, its machine. */
  | {
      readonly do: 'power-down';
      readonly reason: string;
      readonly lacked?: { readonly set: number; readonly job?: number };
    }
  /** Slurm gave the node up, and its machine lives or is ordered. */
  | { readonly do: 'switch-off' }
  /** The node is DOWN by muster or after ResumeTimeout, and nothing of it is left. */
  | { readonly do: 'resume' }
  /** The node is off, and slurmctld still notes that it did not respond: after a restart it would never use the node. */
  | { readonly do: 'power-off-again' }
  /** The node of a set that lacks capacity is off: Slurm shall use other nodes. */
  | { readonly do: 'keep-down'; readonly reason: string }
  | { readonly do: 'joined' }
  /** Slurm says that the node starts or is off, but a job may run on its machine: nothing is ended. */
  | { readonly do: 'keep' }
  /** Its machine registers wrongly, again and again. */
  | { readonly do: 'set-down'; readonly reason: string };

export interface Decided {
  readonly name: string;
  readonly action: NodeAction;
  /** One look is enough: what is known of the machine decides, or nothing is ended. */
  readonly certain: boolean;
  readonly why: string;
}

export interface Compared {
  readonly slurm: ReadonlyMap<string, SlurmNode>;
  readonly records: ClusterRecords;
  readonly requests: ReadonlyMap<string, OrderedRequest>;
  /** Those nodes of `doubtful` that have a job. */
  readonly held: ReadonlySet<string>;
  /** Those on whose machines a job may run that slurmctld does not know to be up. */
  readonly busy: ReadonlySet<string>;
  readonly setOf: ReadonlyMap<string, number>;
  readonly now: number;
}

/** Reasons that muster sets begin with it, so that only those are taken back. */
export const ownReason = 'muster:';
const wrongMachine = `${ownReason} its machine has less than slurm.conf says`;

/** Nodes whose jobs a comparison needs: Slurm has a job on them, or starts them, and may not know that they are up. */
export function doubtful({ slurm, records }: Pick<Compared, 'slurm' | 'records'>): string[] {
  return [...slurm.values()].flatMap((node) => {
    const phase = phaseOf(node);
    const hasJoined = records.nodes.get(node.name)?.value.joined_at !== undefined;
    return (phase === 'off' && isAllocated(node)) || (phase === 'starting' && hasJoined) ? [node.name] : [];
  });
}

/** What the views of Slurm and muster demand for each node; nothing where they agree. Pure. */
export function decide(from: Compared): Decided[] {
  const on = [...from.records.nodes].flatMap(([name, { value }]) => (value.state === 'on' ? [name] : []));
  return [...new Set([...from.setOf.keys(), ...on])].flatMap((name) => {
    const decided = decideNode(name, from);
    return decided ? [decided] : [];
  });
}

function decideNode(
  name: string,
  { slurm, records, requests, held, busy, setOf, now }: Compared,
): Decided | undefined {
  const node = slurm.get(name);
  const kept = records.nodes.get(name)?.value;
  const isOn = kept?.state === 'on';
  const order = kept?.order === undefined ? undefined : records.orders.get(kept.order)?.value;
  const request = order && requests.get(order.request_id);
  const machines = request?.machines.filter(({ assigned_name }) => assigned_name === name) ?? [];
  const machine = machines.find(isKept);
  // slurmd may be faster than what the provider reports about a new machine.
  const isUnreported = isOn && !kept.joined_at && request?.isOver === false && machines.length === 0;
  const decided = (action: NodeAction, why: string, certain = false): Decided => ({ name, action, certain, why });

  if (!setOf.has(name)) return decided({ do: 'switch-off' }, 'no node set of the configuration has it');
  if (!node) return isOn ? decided({ do: 'switch-off' }, 'slurmctld does not know the node') : undefined;
  const phase = phaseOf(node);
  const rest = records.rests.get(setOf.get(name) ?? -1)?.value;
  const isResting = rest !== undefined && rest.until > now;
  const isBusy = busy.has(name);
  const isOurs = node.reason.startsWith(ownReason);

  switch (phase) {
    case 'starting': {
      if (!isOn || !order) return decided({ do: 'order' }, 'Slurm starts the node, and no machine is ordered');
      // The call to resume it was lost, or could not be told from a late one.
      if (kept.joined_at !== undefined && !(machine && isBusy))
        return decided({ do: 'order' }, 'Slurm starts the node anew');
      if (machine?.reclaim_at !== undefined) return decided(reclaimed(), 'the cloud reclaims its machine', true);
      if (kept.joined_at !== undefined)
        return decided({ do: 'keep' }, 'Slurm starts the node, and a job may run on its machine', true);
      if (machine || (!order.refused && !request?.isOver)) return undefined;
      return decided(given_up(order, request), 'its machine does not come', true);
    }
    case 'up': {
      if (!isOn) {
        const reason = `${ownReason} no machine of this node is known`;
        return decided({ do: 'power-down', reason }, 'the node is up, and no machine is known');
      }
      if (machine?.reclaim_at !== undefined) return decided(reclaimed(), 'the cloud reclaims its machine', true);
      if (machine)
        return kept.joined_at === undefined ? decided({ do: 'joined' }, 'its machine joined', true) : undefined;
      return isUnreported ? undefined : decided(gone(machines), 'its machine is gone');
    }
    case 'invalid': {
      return decided({ do: 'set-down', reason: wrongMachine }, 'its machine registers with less than configured');
    }
    case 'failed': {
      if (isOn) return decided({ do: 'switch-off' }, 'Slurm gave the node up');
      if (machines.some(mayLive) || isResting) return undefined;
      // Its next machine would be as small: a person changes slurm.conf or the template, and resumes the node.
      if (node.reason.startsWith(wrongMachine)) return undefined;
      const isGivenUp = isOurs || node.reason.startsWith('ResumeTimeout reached');
      return isGivenUp ? decided({ do: 'resume' }, 'nothing of it is left', true) : undefined;
    }
    case 'off': {
      // A slurmctld that was killed may not remember that the node is up. It never asks such a node how it is.
      if (isBusy) {
        if (isUnreported) return undefined;
        if (!isOn || !machine) return decided(gone(machines), 'Slurm has a job on the node, and its machine is gone');
        if (machine.reclaim_at !== undefined) return decided(reclaimed(), 'the cloud reclaims its machine', true);
        return decided({ do: 'keep' }, 'Slurm says that the node is off, and a job runs on its machine', true);
      }
      // slurmctld 22.05 may power a node down that a job waits for, after it read slurm.conf again. The job starts on
      // it all the same. A node that it is about to start has its next machine soon.
      if (isOn && held.has(name) && machine?.reclaim_at === undefined) {
        if (machine || isUnreported)
          return decided({ do: 'keep' }, 'Slurm says that the node is off, and a job has it', true);
        return decided(gone(machines), 'Slurm has a job on the node, and its machine is gone');
      }
      if (isOn) return decided({ do: 'switch-off' }, 'Slurm powered the node off');
      if (isResting && node.base !== 'DOWN')
        return decided({ do: 'keep-down', reason: rest.reason }, 'its set lacks capacity', true);
      return isSilent(node)
        ? decided({ do: 'power-off-again' }, 'Slurm would not start it after a restart of slurmctld')
        : undefined;
    }
    default:
      return undefined;
  }
}

/**
 * Whether slurmctld notes that an idle node that is off does not respond. It does so for a node that is `resume`d after
 * ResumeTimeout. When it starts, or reads slurm.conf again, it counts such a node as unavailable for all jobs (Slurm
 * 22.05, tried; 24.05, aws/aws-parallelcluster#7577). To be powered off once more takes the note away.
 */
const isSilent = ({ base, flags }: SlurmNode): boolean =>
  base === 'IDLE' && flags.has('NOT_RESPONDING') && !flags.has('DRAIN') && !flags.has('FAIL');

const reclaimed = (): NodeAction => ({ do: 'power-down', reason: `${ownReason} the cloud reclaims the machine` });

function gone(machines: readonly MachineAnswer[]): NodeAction {
  const lost = machines.at(-1);
  const reason = `${ownReason} the machine is gone${lost?.message ? `: ${lost.message}` : ''}`;
  return { do: 'power-down', reason: short(reason) };
}

function given_up({ set, job, refused }: OrderState, request: OrderedRequest | undefined): NodeAction {
  const why = refused ?? request?.why;
  const reason = short(`${ownReason} ${why?.code ?? 'GONE'} ${why?.message ?? 'the machine is gone'}`);
  const lacked = request?.why?.lacksCapacity ? { lacked: { set, ...(job === undefined ? {} : { job }) } } : {};
  return { do: 'power-down', reason, ...lacked };
}

/** A reason on one line that scontrol takes and people can read. */
const short = (text: string): string => text.replaceAll(/[\s"']+/g, ' ').slice(0, 200);
