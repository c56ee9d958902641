import type { CallContext, RegionState } from './call-context.ts';
import { createTimers } from './timers.ts';
import { createGroupTable } from './groups.ts';
import { createInstanceTable } from './instances/instance-table.ts';
import { createQueueTable } from '../queues/queue-table.ts';
import { createNetwork } from './network/network.ts';
import { createTemplateTable } from './templates.ts';
import { createTokenTable } from './tokens.ts';

/** The parts of the simulation that a region uses. */
export interface PlanParts {
  tokenMemoryMs(): number;
  contextIn(state: RegionState, now: number): CallContext;
}

export function createRegionState(account: string, region: string, around: PlanParts): RegionState {
  const contextAt = (now: number): CallContext => around.contextIn(state, now);
  const state: RegionState = {
    account,
    region,
    network: createNetwork(region),
    instances: createInstanceTable(),
    templates: createTemplateTable(),
    fleets: new Map(),
    groups: createGroupTable(),
    queues: createQueueTable(),
    tokens: createTokenTable(around.tokenMemoryMs),
    buckets: new Map(),
    timers: createTimers(contextAt),
    contextAt,
    placesTaken: new Map(),
    usage: { onDemandVcpus: 0, spotMachines: 0 },
    reclaimsPlanned: new WeakSet(),
    launchesByToken: new Map(),
    partTags: new Map(),
    openSpotRequests: new Map(),
    nextPlace: 0,
    removedMachineMs: 0,
  };
  return state;
}
