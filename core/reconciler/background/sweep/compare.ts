import type { AttemptRecord } from '../../../model/attempt.ts';
import type { MachineKey, MachineRecord } from '../../../model/machine.ts';
import type { MachineReport, OwnedResource } from '../../../contract/provider.ts';
import { canRelease, isPursued, mayBeSought } from '../../state/attempt.ts';
import { isAlive } from '../../state/machine-life.ts';

/** What the store knows of the resources of a listing. Read after the listing, so that what was made meanwhile is known. */
export interface StoredResources {
  /** By request and number. */
  attempt(request_id: string, attempt: number): AttemptRecord | undefined;
  machine(key: MachineKey): MachineRecord | undefined;
  /** Whether the API of an attempt can look for what an order started. */
  finds(attempt: AttemptRecord): boolean;
}

/** Machines of one attempt that its request has lost sight of. */
export interface StrayMachines {
  readonly request_id: string;
  readonly attempt: number;
  readonly provider_instance: string;
  readonly machines: readonly MachineReport[];
}

export interface Comparison {
  readonly astray: readonly StrayMachines[];
  /** What no attempt in the store can have made, what an attempt that was cleared away has left, and machines that no attempt can release. */
  readonly orphans: readonly OwnedResource[];
}

/**
 * Compares what a provider lists as ours with what the store knows. What is younger than `grace_ms` is passed over: its attempt may just be
 * finding out about it. So is what ends already. Whoever is handed a machine must be able to release it: an attempt without a handle is handed it once, to be
 * looked for again, and what it cannot be found for is an orphan. Pure.
 */
export function compare(listed: readonly OwnedResource[], known: StoredResources, now: number, grace_ms: number): Comparison {
  const astray = new Map<string, { of: Omit<StrayMachines, 'machines'>; machines: MachineReport[] }>();
  const orphans: OwnedResource[] = [];
  for (const resource of listed) {
    if (isYoung(resource, now, grace_ms) || isEnding(resource)) continue;
    const { request_id, attempt: number, machine } = resource;
    const attempt = request_id === undefined || number === undefined ? undefined : known.attempt(request_id, number);
    if (attempt === undefined) orphans.push(resource);
    else if (machine === undefined) {
      if (attempt.disposed || (resource.kind === 'container' && isLeft(attempt, known))) orphans.push(resource);
    } else if (follows(known, attempt, machine.machine_id) && canRelease(attempt)) {
      continue;
    } else if (isLeft(attempt, known)) orphans.push(resource);
    else if (canRelease(attempt) || !isPursued(attempt)) {
      const { provider_instance } = attempt;
      const key = `${attempt.request_id} ${attempt.attempt}`;
      const entry = astray.get(key) ?? {
        of: { request_id: attempt.request_id, attempt: attempt.attempt, provider_instance },
        machines: [],
      };
      entry.machines.push(machine);
      astray.set(key, entry);
    }
  }
  return { astray: [...astray.values()].map(({ of, machines }) => ({ ...of, machines })), orphans };
}

/**
 * Nobody can end any more what the attempt started. As long as its outcome may still be learned it is not lost sight of. A container among it starts
 * machines for as long as it lives, in the place of those that are ended.
 */
const isLeft = (attempt: AttemptRecord, known: StoredResources): boolean =>
  !canRelease(attempt) && !isPursued(attempt) && !(mayBeSought(attempt) && known.finds(attempt));

/** Whether the request of the attempt has the machine. Ids are unique within an instance only. */
function follows(known: StoredResources, { provider_instance, request_id }: AttemptRecord, machine_id: string): boolean {
  const machine = known.machine({ provider_instance, machine_id });
  return machine !== undefined && isAlive(machine) && machine.request_id === request_id;
}

function isYoung({ created_at }: OwnedResource, now: number, grace_ms: number): boolean {
  return created_at !== undefined && now - Date.parse(created_at) < grace_ms;
}

const isEnding = ({ machine }: OwnedResource): boolean => machine?.status === 'shutting-down' || machine?.status === 'terminated';
