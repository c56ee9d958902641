import type { Bucket } from './buckets.ts';
import type { Fleet } from './fleets/fleets.ts';
import type { GroupTable } from './groups.ts';
import type { InstanceTable } from './instances/instance-table.ts';
import type { Knobs } from '../knobs/knobs.ts';
import type { QueueTable } from '../queues/queue-table.ts';
import type { Network } from './network/network.ts';
import type { Usage } from './quotas.ts';
import type { RandomSource } from '../random.ts';
import type { RuleState } from '../rules.ts';
import type { OpenSpotRequest } from './instances/open-spot-requests.ts';
import type { Tags } from './tags.ts';
import type { TemplateTable } from './templates.ts';
import type { Timers } from './timers.ts';
import type { TokenTable } from './tokens.ts';

/** The context of one call, or of one planned event: a region of an account at a time. */
export interface CallContext {
  readonly state: RegionState;
  readonly knobs: Knobs;
  readonly rules: RuleState;
  readonly random: RandomSource;
  /** Milliseconds of the simulator's clock. */
  readonly now: number;
  /** Ids of created, changed and removed resources. Actions add them; the audit shows them. */
  readonly touched: string[];
}

/** Everything one account has in one region. */
export interface RegionState {
  readonly account: string;
  readonly region: string;
  readonly network: Network;
  readonly instances: InstanceTable;
  readonly templates: TemplateTable;
  readonly fleets: Map<string, Fleet>;
  readonly groups: GroupTable;
  readonly queues: QueueTable;
  readonly tokens: TokenTable;
  readonly timers: Timers<CallContext>;
  /** The context of a call or an event at a time. */
  contextAt(now: number): CallContext;
  /** Token buckets by action and kind. */
  readonly buckets: Map<string, Bucket>;
  /** Machines that hold a place of a capacity pool, by `type/zone/market`. */
  readonly placesTaken: Map<string, number>;
  /** Quota usage of live machines. */
  readonly usage: Usage;
  /** Rules of the knob `reclaim` that are planned for a later time. */
  readonly reclaimsPlanned: WeakSet<object>;
  /** Number of machines ever started with each client token. */
  readonly launchesByToken: Map<string, number>;
  /** Tags that callers gave to volumes, interfaces and Spot requests, by id; the others have those of their launch. */
  readonly partTags: Map<string, Tags>;
  /** Spot requests without a machine, by id. */
  readonly openSpotRequests: Map<string, OpenSpotRequest>;
  /** The place that the next machine gets. */
  nextPlace: number;
  /** Billed milliseconds of machines that are no longer in the table. */
  removedMachineMs: number;
}
