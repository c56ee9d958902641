import { type Audit, createAudit } from './dispatch/audit.ts';
import type { SimulatorClock } from './clock.ts';
import { planAllFleetChecks } from './fleets/health-checks.ts';
import { planAllGroupChecks } from './groups/health-checks.ts';
import { defaultKnobs, type KnobChange, type Knobs } from './knobs/knobs.ts';
import { turnKnobs } from './knobs/turn-knobs.ts';
import type { CallContext, RegionState } from './state/call-context.ts';
import { type RandomSource, seededRandom } from './random.ts';
import { createRuleBook, type RuleBook } from './rules.ts';
import { createSessionBook, type SessionBook } from './state/sessions.ts';
import { planStrikes, strike } from './state/instances/interruptions.ts';
import { createWorld, type World } from './state/world.ts';

/** The simulated cloud apart from its wire: what every call works on. */
export interface Simulation {
  readonly world: World;
  readonly clock: SimulatorClock;
  readonly random: RandomSource;
  readonly audit: Audit;
  readonly rules: RuleBook;
  readonly sessions: SessionBook;
  readonly knobs: KnobBoard;
  /**
   * Forgets machines, fleets, templates, tokens, sessions, the audit and the steps of the clock; the knobs too where
   * that is said. Ids go on: none is used twice.
   */
  reset(options?: { readonly knobs?: boolean }): void;
}

export interface KnobBoard {
  readonly current: Knobs;
  /**
   * Merges a change; throws a TypeError that names every mistake in it. Rules of a list that is set count from here,
   * and those that take Spot machines back strike. /
   */
  turn(change: unknown): Knobs;
}

export function createSimulation(options: {
  readonly clock: SimulatorClock;
  readonly seed: number;
  readonly knobs?: KnobChange;
}): Simulation {
  const { clock } = options;
  const random = seededRandom(options.seed);
  const rules = createRuleBook();
  const audit = createAudit();
  const sessions = createSessionBook();
  let current = defaultKnobs;
  const contextIn = (state: RegionState, now: number): CallContext => ({
    state,
    knobs: current,
    rules,
    random,
    now,
    touched: [],
  });
  const world = createWorld({ tokenMemoryMs: () => current.tokens.memory_ms, contextIn });

  function turn(change: unknown): Knobs {
    const now = clock.now();
    // What was due by now still happens under the old knobs.
    for (const state of world.regions()) state.timers.settle(now);
    const before = current;
    current = turnKnobs(current, change);
    rules.begin(current, now);
    const { seed } = change as KnobChange;
    if (typeof seed === 'number') random.seed(seed);
    const contexts = [...world.regions()].map((state) => state.contextAt(now));
    for (const rule of current.reclaim) if (!before.reclaim.includes(rule)) strike(contexts, rule);
    for (const each of contexts) planStrikes(each);
    for (const each of contexts) planAllFleetChecks(each);
    for (const each of contexts) planAllGroupChecks(each);
    return current;
  }

  if (options.knobs !== undefined) turn(options.knobs);
  return {
    world,
    clock,
    random,
    audit,
    rules,
    sessions,
    knobs: {
      get current() {
        return current;
      },
      turn,
    },
    reset(what) {
      world.clear();
      audit.clear();
      sessions.clear();
      clock.reset();
      // A copy, so that rules count and date from here.
      current = structuredClone(what?.knobs ? defaultKnobs : current);
      rules.begin(current, clock.now());
    },
  };
}
