import type { Bucket } from './buckets.ts';
import type { Moment } from '../dispatch/call-context.ts';
import { type Agenda, createTimers } from './timers.ts';
import type { Fleet } from './fleets.ts';
import { createGroupShelf, type GroupShelf } from './groups.ts';
import { createInstanceTable, type InstanceTable } from './instances/instance-table.ts';
import { createNetwork, type Network } from './network/network.ts';
import type { Usage } from './quotas.ts';
import { createTemplateShelf, type TemplateShelf } from './templates.ts';
import { createTokenBook, type TokenBook } from './tokens.ts';

/** Everything one account has in one region. */
export interface RegionState {
  readonly account: string;
  readonly region: string;
  readonly network: Network;
  readonly instances: InstanceTable;
  readonly templates: TemplateShelf;
  readonly fleets: Map<string, Fleet>;
  readonly groups: GroupShelf;
  readonly tokens: TokenBook;
  readonly agenda: Agenda;
  /** Token buckets by action and kind. */
  readonly buckets: Map<string, Bucket>;
  /** Machines that hold a place of a capacity pool, by `type/zone/market`. */
  readonly placesTaken: Map<string, number>;
  /** What live machines count against the quotas. */
  readonly usage: Usage;
  /** Rules of the knob `reclaim` whose later strike is planned here. */
  readonly strikesPlanned: WeakSet<object>;
  /** Machines started under a client token, ever. */
  readonly launchesByToken: Map<string, number>;
  /** The place that the next machine gets. */
  nextPlace: number;
  /** Billed milliseconds of machines that are no longer in the table. */
  forgottenMs: number;
}

/** What a region needs of the simulation around it. */
export interface Surroundings {
  tokenMemoryMs(): number;
  /** A moment in a region, for what the cloud does by itself. */
  moment(state: RegionState, now: number): Moment;
}

export function createRegionState(account: string, region: string, around: Surroundings): RegionState {
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
    agenda: createTimers((at) => around.moment(state, at)),
    placesTaken: new Map(),
    usage: { onDemandVcpus: 0, spotMachines: 0 },
    strikesPlanned: new WeakSet(),
    launchesByToken: new Map(),
    nextPlace: 0,
    forgottenMs: 0,
  };
  return state;
}
