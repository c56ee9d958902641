import { machineKey, type MachineRecord } from '../../model/machine.ts';
import type { FallbackOrder } from '../plan/orders/fallback-order.ts';
import { planOrders, type PlannedOrder } from '../plan/orders/plan-orders.ts';
import type { ProviderOption } from '../plan/orders/provider-option.ts';
import type { Retries } from '../plan/orders/standing.ts';
import type { Settings } from '../settings.ts';
import { isSettled } from '../state/attempt.ts';
import type { RequestState } from '../state/request-state.ts';
import { needOf } from './needs.ts';
import { awaitedLost, moveOf, replaceFrom, replaceUntil } from './move.ts';

/** The inputs of the plan besides the state of the request. */
export interface ReplacementContext {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly settings: Settings;
  /** Milliseconds until replacements may be ordered. */
  readonly replacementsWaitMs: number;
  fallbackOrder(): FallbackOrder;
  /** The offers of an option that stand for the pools of these machines, by key. */
  offersOfMachines(option: ProviderOption, machines: readonly MachineRecord[]): ReadonlySet<string>;
}

export interface ReplacementPlan {
  /** A move is due; see `moveOf`. */
  readonly moves: boolean;
  readonly order?: PlannedOrder;
  /** Milliseconds until the next plan. Infinity: no time is known. */
  readonly again_ms: number;
}

const nothing: ReplacementPlan = { moves: false, again_ms: Infinity };

/** The most machines that one order replaces. */
const mostAtOnce = 100;
/** The wait before the next plan when nothing may be ordered. */
const retryMs = 10_000;
/** A replacement waits longer the longer it is sought, half of that time: an offer is tried about ten times an hour. */
const waitShare = 1 / 2;

/** The further tries of an order of replacements that are sought since this time. */
export const replacementRetries = (since: number): Retries => ({ since, share: waitShare });

/**
 * Plans the replacements of machines that the provider recommends to replace. Each machine gets one: none is ordered
 * while another order for the machine may still deliver, or while a machine waits to take its place. Offers of other
 * pools than those of the machines come first. Pure.
 */
export function planReplacements(from: RequestState, at: ReplacementContext): ReplacementPlan {
  const { wanted, standby, draining } = from.machines.counts();
  const { now, settings } = at;
  let again_at = Infinity;
  for (const machine of awaitedLost(from))
    again_at = Math.min(again_at, replaceUntil(machine, from.request, settings));
  if (again_at <= now) return { ...nothing, moves: true };
  if (wanted + standby + draining === 0) return { ...nothing, again_ms: again_at - now };
  const covered = new Set(
    from.attempts.flatMap((attempt) => (isSettled(attempt) ? [] : (attempt.replaces ?? []).map(machineKey))),
  );
  const sought: MachineRecord[] = [];
  for (const machine of from.machines.all()) {
    const { gone_at, going, replaced_by, release_at = now, replaces, took_over_at, replace_from } = machine;
    const { held_until = 0 } = machine;
    if (gone_at !== undefined || going !== undefined) continue;
    if (moveOf(machine, from, now, settings)) return { ...nothing, moves: true };
    if (replaced_by !== undefined) again_at = Math.min(again_at, Math.max(release_at, held_until));
    else if (replaces !== undefined && took_over_at === undefined) covered.add(machineKey(replaces));
    else if (replace_from !== undefined) sought.push(machine);
  }
  for (const machine of sought) {
    // Past for a machine that ends by itself: nothing moves it, and it is not waited for.
    const until = replaceUntil(machine, from.request, settings);
    if (until > now) again_at = Math.min(again_at, until);
  }
  const open = sought.filter((machine) => needOf(machine) === 'held' && !covered.has(machineKey(machine)));
  const due = open.filter((machine) => replaceFrom(machine, settings) <= now);
  for (const machine of open)
    if (replaceFrom(machine, settings) > now) again_at = Math.min(again_at, replaceFrom(machine, settings));
  const plan = { moves: false, again_ms: again_at - now };
  if (due.length === 0) return plan;
  if (at.replacementsWaitMs > 0) return { ...plan, again_ms: Math.min(plan.again_ms, at.replacementsWaitMs) };

  const machines = due.slice(0, mostAtOnce);
  const retries = replacementRetries(Math.min(...machines.map((machine) => replaceFrom(machine, settings))));
  const { options } = at.fallbackOrder();
  const avoided = (option: ProviderOption) => at.offersOfMachines(option, machines);
  const { orders, tried_again_at = Infinity } = planOrders(
    from,
    options,
    machines.length,
    { ...settings, now, retries },
    avoided,
  );
  const [order] = orders;
  if (!order) return { ...plan, again_ms: Math.min(plan.again_ms, retryMs, tried_again_at - now) };
  const replaces = machines.slice(0, order.machine_count).map(keyOf);
  return { ...plan, order: { ...order, replaces } };
}

const keyOf = ({ provider_instance, machine_id }: MachineRecord) => ({ provider_instance, machine_id });
