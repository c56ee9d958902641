import { type Audit, createAudit } from './audit.ts';
import type { SimulatorClock } from './clock.ts';
import { type Countdown, createCountdown } from './countdown.ts';
import { defaultKnobs, type KnobChange, type Knobs, turnKnobs } from './knobs.ts';
import { type RandomSource, seededRandom } from './random.ts';
import { createWorld, type World } from './state/world.ts';
import { createThrottle, type Throttle } from './throttle.ts';

/** The simulated cloud apart from its wire: what every call works on. */
export interface Simulation {
  readonly world: World;
  readonly clock: SimulatorClock;
  readonly random: RandomSource;
  readonly audit: Audit;
  readonly countdown: Countdown;
  readonly throttle: Throttle;
  readonly knobs: KnobBoard;
  /** Forgets machines, fleets, templates, tokens, the audit and the steps of the clock; the knobs too where that is said. Ids go on: none is used twice. */
  reset(options?: { readonly knobs?: boolean }): void;
}

export interface KnobBoard {
  readonly current: Knobs;
  /** Merges a change; throws a TypeError that names every mistake in it. Rules of a list that is set count from here. */
  turn(change: unknown): Knobs;
}

export function createSimulation(options: {
  readonly clock: SimulatorClock;
  readonly seed: number;
  readonly knobs?: KnobChange;
}): Simulation {
  const { clock } = options;
  const random = seededRandom(options.seed);
  const countdown = createCountdown();
  const audit = createAudit();
  const throttle = createThrottle(countdown);
  let current = defaultKnobs;
  const world = createWorld(() => current.tokens.memory_ms);

  function turn(change: unknown): Knobs {
    // The copy keeps a rule apart from the object that the caller may pass again.
    current = turnKnobs(current, structuredClone(change));
    const seed = (change as KnobChange).seed;
    if (typeof seed === 'number') random.seed(seed);
    return current;
  }

  if (options.knobs !== undefined) turn(options.knobs);
  return {
    world,
    clock,
    random,
    audit,
    countdown,
    throttle,
    knobs: {
      get current() {
        return current;
      },
      turn,
    },
    reset(what) {
      world.clear();
      audit.clear();
      throttle.clear();
      clock.reset();
      if (what?.knobs) current = structuredClone(defaultKnobs);
    },
  };
}
