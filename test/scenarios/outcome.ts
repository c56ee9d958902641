import type { AttemptRecord } from '../../core/model/attempt.ts';
import type { MachineRecord } from '../../core/model/machine.ts';
import type { RequestRecord } from '../../core/model/request.ts';
import type { Ledger } from '../../plugins/cloud-simulator/dispatch/ledger.ts';
import type { Instance } from '../../plugins/cloud-simulator/state/instances/instance.ts';
import type { Cell } from './cells.ts';
import type { Setting } from './settings.ts';

/** How a cell came out: what the broker has stored and tells, and what the cloud has. */
export interface Outcome {
  readonly cell: Cell;
  readonly setting: Setting;
  readonly request: RequestRecord;
  readonly attempts: readonly AttemptRecord[];
  readonly machines: readonly MachineRecord[];
  /** Of the status: machine ids by status. */
  readonly told: Readonly<Record<string, readonly string[]>>;
  /** Every status that was seen, in order. */
  readonly history: readonly string[];
  /** Machines that the cloud ever started for the request. */
  readonly started: readonly Instance[];
  /** Machines that the cloud has for it now. */
  readonly live: readonly string[];
  /** Places that the cloud has for it; infinite where nothing bounds them. */
  readonly places: number;
  readonly ledger: Ledger;
}

/** Whether the cloud took a machine away by itself. */
export const diedUnasked = ({ reason }: Instance): boolean => reason?.code.startsWith('Server.') ?? false;

/** Whether the cloud took it away, or is about to: a fleet may have started another for it. */
export const wasTaken = (instance: Instance): boolean => diedUnasked(instance) || instance.interruption !== undefined;

/** Machines that became usable. */
export const readied = ({ machines }: Outcome): readonly MachineRecord[] =>
  machines.filter((machine) => machine.ready_at !== undefined);
