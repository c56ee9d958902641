import { type Audit, createAudit } from './dispatch/audit.ts';
import type { SimulatorClock } from './clock.ts';
import { planAllFleetChecks } from './fleets/health-checks.ts';
import { planAllGroupChecks } from './groups/health-checks.ts';
import { defaultKnobs, type KnobChange, type Knobs } from './knobs/knobs.ts';
import { turnKnobs } from './knobs/turn-knobs.ts';
import type { CallContext, RegionState } from './state/call-context.ts';
import { type RandomSource, seededRandom } from './random.ts';
import { announceScheduledChanges, recommend } from './queues/recommendations.ts';
import { createRuleState, type RuleState } from './rules.ts';
import { createSessionTable, type SessionTable } from './state/sessions.ts';
import { planReclaims, reclaimNow } from './state/instances/interruptions.ts';
import { createWorld, type World } from './state/world.ts';

/** The state of the simulated cloud, without its wire protocol. */
export interface Simulation {
  readonly world: World;
  readonly clock: SimulatorClock;
  readonly random: RandomSource;
  readonly audit: Audit;
  readonly rules: RuleState;
  readonly sessions: SessionTable;
  readonly knobs: KnobState;
  /**
   * Deletes machines, fleets, templates, tokens, sessions, the audit and the steps of the clock, and resets the knobs
   * if `knobs` is true. Ids continue, so that none is used twice.
   */
  reset(options?: { readonly knobs?: boolean }): void;
}

export interface KnobState {
  readonly current: Knobs;
  /**
   * Merges a change; throws a TypeError that names every mistake in it. Rules of a new list start now, and new
   * `reclaim` rules act.
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
  const rules = createRuleState();
  const audit = createAudit();
  const sessions = createSessionTable();
  let current: Knobs = { ...defaultKnobs, seed: options.seed };
  const contextIn = (state: RegionState, now: number): CallContext => {
    state.network.furnish(current);
    return { state, knobs: current, rules, random, now, touched: [] };
  };
  const world = createWorld({ tokenMemoryMs: () => current.tokens.memory_ms, contextIn });

  function turn(change: unknown): Knobs {
    const now = clock.now();
    // Events that are due still happen under the old knobs.
    for (const state of world.regions()) state.timers.settle(now);
    const before = current;
    current = turnKnobs(current, change);
    rules.begin(current, now);
    const { seed } = change as KnobChange;
    if (typeof seed === 'number') random.seed(seed);
    const contexts = [...world.regions()].map((state) => state.contextAt(now));
    for (const rule of current.reclaim) if (!before.reclaim.includes(rule)) reclaimNow(contexts, rule);
    for (const each of contexts) planReclaims(each);
    for (const rule of current.rebalance)
      if (!before.rebalance.includes(rule)) for (const each of contexts) recommend(each, rule);
    if (current.health !== before.health) for (const each of contexts) announceScheduledChanges(each);
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
      // A copy, because rules are identified by their objects and must start again.
      current = structuredClone(what?.knobs ? { ...defaultKnobs, seed: current.seed } : current);
      rules.begin(current, clock.now());
    },
  };
}
