import { type CallerKnobs, callerDefaults } from './caller-knobs.ts';
import { type KeeperKnobs, keeperDefaults } from './keeper-knobs.ts';
import { type LaunchKnobs, launchDefaults } from './launch-knobs.ts';
import { type MachineKnobs, machineDefaults } from './machine-knobs.ts';
import { type ViewKnobs, viewDefaults } from './view-knobs.ts';
import { type WireKnobs, wireDefaults } from './wire-knobs.ts';

/** All switches of the simulated cloud with their values. */
export interface Knobs extends WireKnobs, LaunchKnobs, MachineKnobs, ViewKnobs, CallerKnobs, KeeperKnobs {
  /**
   * The ready-made scenario under the rest; null = none, which is `calm`. Setting it puts every other knob back first.
   */
  readonly scenario: string | null;
  /** Restarts the source of chance; ids go on, so that none comes twice. */
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
  ...keeperDefaults,
  scenario: null,
  seed: null,
};
