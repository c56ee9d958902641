import type { AttemptRecord } from '../../../model/attempt.ts';
import type { MachineKey, MachineRecord } from '../../../model/machine.ts';
import type { MachineReport } from '../../../contract/provider/orders-and-reports.ts';
import type { OwnedResource } from '../../../contract/provider/resources.ts';
import { canRelease, isPursued, mayBeSought } from '../../state/attempt.ts';
import { isAlive } from '../../state/machine-life.ts';

/**
 * The stored state of the resources of a listing. Read after the listing, so that resources made meanwhile are known.
 */
export interface StoredResources {
  /** By request id and number of the attempt. */
  attempt(request_id: string, attempt: number): AttemptRecord | undefined;
  machine(key: MachineKey): MachineRecord | undefined;
  /** Whether the API of an attempt has `find`. */
  finds(attempt: AttemptRecord): boolean;
}

/** Machines of one attempt that its request no longer tracks. */
export interface StrayMachines {
  readonly request_id: string;
  readonly attempt: number;
  readonly provider_instance: string;
  readonly machines: readonly MachineReport[];
}

export interface Comparison {
  readonly astray: readonly StrayMachines[];
  /**
   * Resources that no stored attempt can have made, resources of an attempt that was disposed, and machines that no
   * attempt can release.
   */
  readonly orphans: readonly OwnedResource[];
}

/**
 * Compares the listing of a provider with the store. Skips resources younger than `grace_ms`, whose attempt may just
 * learn about them, and resources that are ending. A machine is only passed to an attempt that can release it: an
 * attempt without a handle gets it once, to be searched again; if that search fails, the machine is an orphan. Pure.
 */
export function compare(
  listed: readonly OwnedResource[],
  known: StoredResources,
  now: number,
  grace_ms: number,
): Comparison {
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
 * Whether no attempt can release the resources of this attempt any more. While its outcome may still be learned, it
 * can. A container that stays starts new machines in place of those that end.
 */
const isLeft = (attempt: AttemptRecord, known: StoredResources): boolean =>
  !canRelease(attempt) && !isPursued(attempt) && !(mayBeSought(attempt) && known.finds(attempt));

/** Whether the request of the attempt tracks the machine. Ids are only unique within an instance. */
function follows(
  known: StoredResources,
  { provider_instance, request_id }: AttemptRecord,
  machine_id: string,
): boolean {
  const machine = known.machine({ provider_instance, machine_id });
  return machine !== undefined && isAlive(machine) && machine.request_id === request_id;
}

function isYoung({ created_at }: OwnedResource, now: number, grace_ms: number): boolean {
  return created_at !== undefined && now - Date.parse(created_at) < grace_ms;
}

const isEnding = ({ machine }: OwnedResource): boolean =>
  machine?.status === 'shutting-down' || machine?.status === 'terminated';
