import type { MachineRecord, MachineStatus } from '../../model/machine.ts';

/** The machine exists, as far as muster knows. */
export const isAlive = (machine: MachineRecord): boolean => machine.gone_at === undefined;

const ending: ReadonlySet<MachineStatus> = new Set(['shutting-down', 'stopping', 'stopped', 'terminated', 'failed']);
/** A machine with this status is not usable and will not become usable. */
export const isEnding = (status: MachineStatus): boolean => ending.has(status);

/** The order in which a machine passes its states. */
const ranks: Readonly<Record<MachineStatus, number>> = {
  pending: 0,
  running: 1,
  stopping: 2,
  stopped: 3,
  failed: 3,
  'shutting-down': 4,
  terminated: 5,
};

/** Whether a machine that was in `status` once is past `earlier`, or in it. */
export const hasReached = (status: MachineStatus, earlier: MachineStatus): boolean => ranks[status] >= ranks[earlier];

/**
 * Whether a status that a notice announces is an unexpected end that the machine does not show yet. Machines that
 * start or are released are observed anyway.
 */
export const isAnnouncedEnd = (announced: MachineStatus, machine: MachineRecord): boolean =>
  isAlive(machine) && machine.going === undefined && isEnding(announced) && !hasReached(machine.status, announced);

/** The machine is present or starting, and shall stay. */
export const isStaying = (machine: MachineRecord): boolean =>
  isAlive(machine) && machine.going === undefined && !isEnding(machine.status);

export const isReady = (machine: MachineRecord): boolean => isStaying(machine) && machine.ready_at !== undefined;

/** The machine was ordered to replace another one, and has not taken its place. */
export const isStandby = ({ replaces, took_over_at }: MachineRecord): boolean =>
  replaces !== undefined && took_over_at === undefined;

/** The machine is one of the requested ones: not on standby, and not replaced. */
export const hasPlace = (machine: MachineRecord): boolean => machine.replaced_by === undefined && !isStandby(machine);

/** The machine must go, and the provider has not accepted its release yet. */
export const awaitsRelease = (machine: MachineRecord): boolean =>
  isAlive(machine) && machine.going !== undefined && machine.released_at === undefined;
