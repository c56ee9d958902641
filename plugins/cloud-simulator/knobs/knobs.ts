import { type AccountKnobs, accountDefaults } from '../state/network/account-knobs.ts';
import { type CallerKnobs, callerDefaults } from './caller-knobs.ts';
import { type CapacityKnobs, capacityDefaults } from './capacity-knobs.ts';
import { type LaunchKnobs, launchDefaults } from './launch-knobs.ts';
import { type MachineKnobs, machineDefaults } from './machine-knobs.ts';
import { type QueueKnobs, queueDefaults } from '../queues/queue-knobs.ts';
import { type ViewKnobs, viewDefaults } from './view-knobs.ts';
import { type WireKnobs, wireDefaults } from './wire-knobs.ts';

/** All switches of the simulated cloud with their values. */
export interface Knobs
  extends WireKnobs,
    LaunchKnobs,
    MachineKnobs,
    ViewKnobs,
    CallerKnobs,
    CapacityKnobs,
    AccountKnobs,
    QueueKnobs {
  /**
   * The ready-made scenario below the other knobs; null = none, which equals `calm`. Setting it first resets every
   * other knob except `seed`.
   */
  readonly scenario: string | null;
  /**
   * The seed of the random sequence, at first that of the start. Setting it restarts the sequence. Ids continue, so
   * that none is used twice.
   */
  readonly seed: number | null;
}

/** Some knobs; objects are merged, arrays replaced. */
export type KnobChange = {
  readonly [Name in keyof Knobs]?: Knobs[Name] extends readonly unknown[]
    ? Knobs[Name]
    : Knobs[Name] extends object
      ? Partial<Knobs[Name]>
      : Knobs[Name];
};

export const defaultKnobs: Knobs = {
  ...machineDefaults,
  ...launchDefaults,
  ...viewDefaults,
  ...wireDefaults,
  ...callerDefaults,
  ...capacityDefaults,
  ...accountDefaults,
  ...queueDefaults,
  scenario: null,
  seed: null,
};
