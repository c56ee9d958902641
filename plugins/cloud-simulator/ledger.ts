import { isLive } from './state/instance.ts';
import type { RegionState } from './state/region-state.ts';
import type { World } from './state/world.ts';

/** The tag by which muster marks what belongs to a request. */
export const requestTag = 'muster:request-id';

/** What an account, or all accounts together, have left and have used. */
export interface Ledger {
  /** Pending and running machines by request. */
  readonly live: Readonly<Record<string, readonly string[]>>;
  /** Pending and running machines without the request tag. */
  readonly untagged: readonly string[];
  /** Machines ever started under each client token. */
  readonly launches: Readonly<Record<string, number>>;
  /** Fleets that are not deleted; an instant one only while a machine of it lives, since it needs no deleting. */
  readonly fleets: readonly string[];
  readonly spot_fleets: readonly string[];
  readonly groups: readonly string[];
  /** Ids of launch templates. */
  readonly templates: readonly string[];
  /** Seconds from launch to the order to end, over all machines. */
  readonly machine_seconds: number;
}

export function readLedger(world: World, now: number, account?: string): Ledger {
  const live: Record<string, string[]> = {};
  const untagged: string[] = [];
  const launches: Record<string, number> = {};
  const fleets: string[] = [];
  const templates: string[] = [];
  let milliseconds = 0;

  for (const state of world.regions()) {
    if (account !== undefined && state.account !== account) continue;
    state.agenda.settle(now);
    milliseconds += state.forgottenMs;
    for (const instance of state.instances) {
      milliseconds += Math.min(now, instance.shutdownAt ?? now) - instance.launchedAt;
      if (!isLive(instance, now)) continue;
      const request = instance.tags.get(requestTag);
      if (request === undefined) untagged.push(instance.id);
      else (live[request] ??= []).push(instance.id);
    }
    for (const [token, count] of state.launchesByToken) launches[token] = (launches[token] ?? 0) + count;
    fleets.push(...openFleets(state, now));
    templates.push(...state.templates.byId.keys());
  }
  // Spot fleets and groups are not simulated yet, so none is ever left.
  return { live, untagged, launches, fleets, spot_fleets: [], groups: [], templates, machine_seconds: milliseconds / 1000 };
}

function openFleets(state: RegionState, now: number): string[] {
  const lives = (id: string) => {
    const instance = state.instances.get(id);
    return instance !== undefined && isLive(instance, now);
  };
  return [...state.fleets.values()]
    .filter((fleet) => fleet.deletedAt === undefined && fleet.launches.some((launch) => launch.instanceIds.some(lives)))
    .map((fleet) => fleet.id);
}
