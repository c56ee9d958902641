import { accountShapes } from '../state/network/account-knobs.ts';
import { callerShapes } from './caller-knobs.ts';
import { capacityShapes } from './capacity-knobs.ts';
import { launchShapes } from './launch-knobs.ts';
import { machineShapes } from './machine-knobs.ts';
import { queueShapes } from '../queues/queue-knobs.ts';
import { isObject, wholeNumber, oneWordOf, orNull, record } from './shapes.ts';
import { scenarios } from './scenarios.ts';
import { viewShapes } from './view-knobs.ts';
import { wireShapes } from './wire-knobs.ts';
import { type Knobs, type KnobChange, defaultKnobs } from './knobs.ts';

const shape = record({
  ...machineShapes,
  ...launchShapes,
  ...viewShapes,
  ...wireShapes,
  ...callerShapes,
  ...capacityShapes,
  ...accountShapes,
  ...queueShapes,
  scenario: orNull(oneWordOf(...Object.keys(scenarios))),
  seed: wholeNumber(0, 'null'),
});

/**
 * The knobs after a change; throws a TypeError that names everything that is wrong with the change. Values of the
 * change are copied.
 */
export function turnKnobs(current: Knobs, change: unknown): Knobs {
  const findings = shape(change, '');
  if (findings.length > 0) throw new TypeError(findings.join('\n'));
  const { scenario } = change as KnobChange;
  const base =
    scenario === undefined
      ? current
      : merge({ ...defaultKnobs, seed: current.seed }, scenario === null ? {} : (scenarios[scenario]?.knobs ?? {}));
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
    merged[name] = isObject(old) && isObject(value) ? mergeTrees(old, value) : value;
  }
  return merged;
}
