import type { CallContext, RegionState } from './call-context.ts';
import { createTimers } from './timers.ts';
import { createGroupShelf } from './groups.ts';
import { createInstanceTable } from './instances/instance-table.ts';
import { createNetwork } from './network/network.ts';
import { createTemplateShelf } from './templates.ts';
import { createTokenBook } from './tokens.ts';

/** What a region needs of the simulation around it. */
export interface Surroundings {
  tokenMemoryMs(): number;
  contextIn(state: RegionState, now: number): CallContext;
}

export function createRegionState(account: string, region: string, around: Surroundings): RegionState {
  const contextAt = (now: number): CallContext => around.contextIn(state, now);
  const state: RegionState = {
    account,
    region,
    network: createNetwork(region),
    instances: createInstanceTable(),
    templates: createTemplateShelf(),
    fleets: new Map(),
    groups: createGroupShelf(),
    tokens: createTokenBook(around.tokenMemoryMs),
    buckets: new Map(),
    timers: createTimers(contextAt),
    contextAt,
    placesTaken: new Map(),
    usage: { onDemandVcpus: 0, spotMachines: 0 },
    strikesPlanned: new WeakSet(),
    launchesByToken: new Map(),
    nextPlace: 0,
    forgottenMs: 0,
  };
  return state;
}
