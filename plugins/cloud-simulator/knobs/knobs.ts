import { type CallerKnobs, callerDefaults, callerShapes } from './caller-knobs.ts';
import { type KeeperKnobs, keeperDefaults, keeperShapes } from './keeper-knobs.ts';
import { type LaunchKnobs, launchDefaults, launchShapes } from './launch-knobs.ts';
import { type MachineKnobs, machineDefaults, machineShapes } from './machine-knobs.ts';
import { integer, oneOf, orNull, record } from './shapes.ts';
import { scenarios } from './scenarios.ts';
import { type ViewKnobs, viewDefaults, viewShapes } from './view-knobs.ts';
import { type WireKnobs, wireDefaults, wireShapes } from './wire-knobs.ts';

/** All switches of the simulated cloud with their values. */
export interface Knobs extends WireKnobs, LaunchKnobs, MachineKnobs, ViewKnobs, CallerKnobs, KeeperKnobs {
  /** The ready-made scenario under the rest; null = none, which is `calm`. Setting it puts every other knob back first. */
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

const shape = record({
  ...machineShapes,
  ...launchShapes,
  ...viewShapes,
  ...wireShapes,
  ...callerShapes,
  ...keeperShapes,
  scenario: orNull(oneOf(...Object.keys(scenarios))),
  seed: integer(0, 'null'),
});

/** The knobs after a change; throws a TypeError that names everything that is wrong with it. What the change brought in is copied. */
export function turnKnobs(current: Knobs, change: unknown): Knobs {
  const findings = shape(change, '');
  if (findings.length > 0) throw new TypeError(findings.join('\n'));
  const { scenario } = change as KnobChange;
  const base = scenario === undefined ? current : merge(defaultKnobs, scenario === null ? {} : (scenarios[scenario]?.knobs ?? {}));
  return merge(base, change as KnobChange);
}

type Tree = Readonly<Record<string, unknown>>;

function merge(base: Knobs, change: KnobChange): Knobs {
  // The copy keeps a rule apart from the object that the caller may pass again.
  return mergeTrees(base as unknown as Tree, structuredClone(change) as Tree) as unknown as Knobs;
}

function mergeTrees(base: Tree, over: Tree): Tree {
  const merged: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(over)) {
    const old = merged[name];
    merged[name] = isTree(old) && isTree(value) ? mergeTrees(old, value) : value;
  }
  return merged;
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
