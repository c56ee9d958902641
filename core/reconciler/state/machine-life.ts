import type { MachineRecord, MachineStatus } from '../../model/machine.ts';

/** It exists, as far as is known. */
export const isAlive = (machine: MachineRecord): boolean => machine.gone_at === undefined;

const ending: ReadonlySet<MachineStatus> = new Set(['shutting-down', 'stopping', 'stopped', 'terminated', 'failed']);
/** It will not become usable, or is no longer. */
export const isEnding = (status: MachineStatus): boolean => ending.has(status);

/** It is there, or coming up, and shall stay. */
export const isStaying = (machine: MachineRecord): boolean => isAlive(machine) && machine.going === undefined && !isEnding(machine.status);

export const isReady = (machine: MachineRecord): boolean => isStaying(machine) && machine.ready_at !== undefined;

/** It shall go, and the provider has not accepted that yet. */
export const awaitsRelease = (machine: MachineRecord): boolean =>
  isAlive(machine) && machine.going !== undefined && machine.released_at === undefined;
