import { dice, type Dice } from '../../../crash/support/dice.ts';
import type { Armed } from '../real/armed.ts';
import type { SetSetup } from '../real/cluster.ts';

/** The node sets of every play. Slurm takes the nodes of the first one as long as it has some. */
export const sets: readonly SetSetup[] = [
  { name: 'spot', count: 2 },
  { name: 'solid', count: 3 },
];

/** A job, `at` ms after the beginning of the play. */
export interface PlannedJob {
  readonly at: number;
  readonly by: 'srun' | 'sbatch';
  readonly nodes: number;
  readonly seconds: number;
  /** On the nodes of this set only. */
  readonly set?: string;
}

/** Something that goes wrong, `at` ms after the beginning of the play. */
export type Fault = { readonly at: number } & (
  | { readonly do: 'kill-broker'; readonly down: number }
  | { readonly do: 'kill-broker-at-commit'; readonly point: Armed; readonly down: number }
  | { readonly do: 'kill-broker-at-scontrol'; readonly phase: Armed['phase']; readonly down: number }
  | { readonly do: 'kill-slurmctld'; readonly down: number }
  /** slurmctld reads slurm.conf again. */
  | { readonly do: 'reconfigure' }
  /** A machine dies, or the cloud takes it back after a warning; the n-th of those that live. */
  | { readonly do: 'kill-machine'; readonly nth: number }
  | { readonly do: 'reclaim'; readonly nth: number; readonly warning: number }
  /** The next machine of the node boots, but no slurmd starts. */
  | { readonly do: 'no-boot'; readonly node: string }
  /** A set has no more than so many machines, for a while. */
  | { readonly do: 'no-capacity'; readonly set: string; readonly most: number; readonly during: number }
  /** A program is called that Slurm does not call now: late, early, or twice at once. */
  | { readonly do: 'call'; readonly verb: Verb; readonly nodes: readonly string[]; readonly times: number }
  /** The next program that Slurm calls is killed after so many ms. */
  | { readonly do: 'kill-program'; readonly after: number }
  /** A person switches a node on or off. */
  | { readonly do: 'power-up' | 'power-down'; readonly node: string }
);
export type Verb = 'resume' | 'suspend' | 'resume-fail';

/** A play: what is asked of Slurm, and what goes wrong. Everything follows from the seed and the number. */
export interface Plan {
  readonly seed: number;
  readonly number: number;
  readonly jobs: readonly PlannedJob[];
  readonly faults: readonly Fault[];
}

export const nodeNames: readonly string[] = sets.flatMap(({ name, count }) =>
  Array.from({ length: count }, (_, index) => `${name}-${index + 1}`),
);

/** Faults after which Slurm itself gives a job up, so that `srun` fails and a batch job runs again. */
const costsJobs: ReadonlySet<Fault['do']> = new Set([
  'kill-slurmctld',
  'kill-machine',
  'reclaim',
  'no-boot',
  'no-capacity',
  'power-down',
]);

/** Whether Slurm may give up a job of this play. In all other plays every job must succeed at once. */
export const mayCostJobs = ({ faults }: Plan): boolean => faults.some((fault) => costsJobs.has(fault.do));

export function planOf(seed: number, number: number): Plan {
  const chance = dice(seed * 10_007 + number * 7_919);
  const jobs = Array.from({ length: 1 + chance.roll(3) }, () => jobOf(chance));
  const faults = Array.from({ length: 1 + chance.roll(3) }, (_, index) => faultOf(chance, number + index));
  return { seed, number, jobs, faults };
}

function jobOf(chance: Dice): PlannedJob {
  const own = chance.roll(3) === 0 ? chance.pick(sets) : undefined;
  return {
    at: chance.roll(4) * 1_000,
    by: chance.roll(5) < 3 ? 'srun' : 'sbatch',
    nodes: 1 + chance.roll(own?.count ?? 4),
    seconds: chance.roll(5),
    ...(own ? { set: own.name } : {}),
  };
}

const makers: readonly ((chance: Dice, at: number) => Fault)[] = [
  (chance, at) => ({ at, do: 'kill-broker', down: downOf(chance) }),
  (chance, at) => ({ at, do: 'kill-broker-at-commit', point: pointOf(chance, 'interfaces'), down: downOf(chance) }),
  (chance, at) => ({ at, do: 'call', verb: verbOf(chance), nodes: someNodes(chance), times: 1 + chance.roll(3) }),
  (chance, at) => ({ at, do: 'kill-machine', nth: chance.roll(5) }),
  (chance, at) => ({ at, do: 'kill-broker-at-commit', point: pointOf(chance, 'loop'), down: downOf(chance) }),
  (chance, at) => ({ at, do: 'kill-slurmctld', down: chance.roll(4) * 1_000 }),
  (chance, at) => ({ at, do: 'kill-program', after: chance.roll(12) * 20 }),
  (chance, at) => ({ at, do: 'reclaim', nth: chance.roll(5), warning: 2_000 + chance.roll(4) * 2_000 }),
  (chance, at) => ({ at, do: 'kill-broker-at-scontrol', phase: phaseOf(chance), down: downOf(chance) }),
  (chance, at) => ({
    at: at / 4,
    do: 'no-capacity',
    set: chance.pick(sets).name,
    most: chance.roll(2),
    during: 5_000 + chance.roll(4) * 3_000,
  }),
  (chance, at) => ({ at, do: 'call', verb: verbOf(chance), nodes: someNodes(chance), times: 1 + chance.roll(3) }),
  (chance) => ({ at: 0, do: 'no-boot', node: chance.pick(nodeNames) }),
  (chance, at) => ({ at, do: chance.pick(['power-up', 'power-down']), node: chance.pick(nodeNames) }),
  (_, at) => ({ at, do: 'reconfigure' }),
];

/** Kinds take turns, so that a short campaign has them all; a play has different ones. */
function faultOf(chance: Dice, turn: number): Fault {
  const make = makers[(turn * 5) % makers.length] as (typeof makers)[number];
  return make(chance, chance.roll(60) * 200);
}

const downOf = (chance: Dice): number => chance.pick([0, 500, 2_000, 5_000, 10_000]);
const phaseOf = (chance: Dice): Armed['phase'] => chance.pick(['before', 'after']);
const verbOf = (chance: Dice): Verb => chance.pick(['resume', 'suspend', 'resume-fail']);
const pointOf = (chance: Dice, thread: Armed['thread']): Armed => ({
  thread,
  nth: 1 + chance.roll(6),
  phase: phaseOf(chance),
});
const someNodes = (chance: Dice): string[] => nodeNames.filter(() => chance.roll(2) === 0);
