import { isStopped } from '../state/fleets/standing-fleet.ts';
import type { Fleet } from '../state/fleets/fleets.ts';
import { billedMs, isLive } from '../state/instances/instance.ts';
import type { RegionState } from '../state/call-context.ts';
import type { World } from '../state/world.ts';

/** The tag with which muster marks the resources of a request. */
export const requestTag = 'muster:request-id';

/** The resources that one account, or all accounts together, still have and have used. */
export interface Ledger {
  /** Pending and running machines by request. */
  readonly live: Readonly<Record<string, readonly string[]>>;
  /** Machines without the request tag that are not ending. */
  readonly untagged: readonly string[];
  /** Machines ever started under each client token. */
  readonly launches: Readonly<Record<string, number>>;
  /**
   * EC2 fleets that must still be deleted. An instant fleet counts only while one of its machines is live, because it
   * need not be deleted.
   */
  readonly fleets: readonly string[];
  /** Spot fleets that must still be cancelled. */
  readonly spot_fleets: readonly string[];
  /** Names of groups that no call has deleted. */
  readonly groups: readonly string[];
  /** Ids of launch templates. */
  readonly templates: readonly string[];
  /** Sum over all machines of the seconds from the launch to the beginning of the end, without stops. */
  readonly machine_seconds: number;
}

export function readLedger(world: World, now: number, account?: string): Ledger {
  const live: Record<string, string[]> = {};
  const untagged: string[] = [];
  const launches: Record<string, number> = {};
  const fleets: string[] = [];
  const spot_fleets: string[] = [];
  const groups: string[] = [];
  const templates: string[] = [];
  let milliseconds = 0;

  for (const state of world.regions()) {
    if (account !== undefined && state.account !== account) continue;
    state.timers.settle(now);
    milliseconds += state.removedMachineMs;
    for (const instance of state.instances) {
      milliseconds += billedMs(instance, now);
      if (!isLive(instance, now)) continue;
      const request = instance.tags.get(requestTag);
      if (request === undefined) untagged.push(instance.id);
      else (live[request] ??= []).push(instance.id);
    }
    for (const [token, count] of state.launchesByToken) launches[token] = (launches[token] ?? 0) + count;
    for (const fleet of state.fleets.values()) {
      if (isOpen(state, fleet, now)) (fleet.kind === 'spot' ? spot_fleets : fleets).push(fleet.id);
    }
    groups.push(...openGroups(state));
    templates.push(...state.templates.byId.keys());
  }
  return { live, untagged, launches, fleets, spot_fleets, groups, templates, machine_seconds: milliseconds / 1000 };
}

function isOpen(state: RegionState, fleet: Fleet, now: number): boolean {
  if (fleet.type !== 'instant') return !isStopped(fleet);
  const lives = (id: string) => {
    const instance = state.instances.get(id);
    return instance !== undefined && isLive(instance, now);
  };
  return fleet.deletedAt === undefined && fleet.launches.some((launch) => launch.instanceIds.some(lives));
}

function openGroups(state: RegionState): string[] {
  return [...state.groups.byName.values()].filter((group) => group.deletedAt === undefined).map((group) => group.name);
}
