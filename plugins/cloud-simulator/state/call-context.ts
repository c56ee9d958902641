import type { Bucket } from './buckets.ts';
import type { Fleet } from './fleets/fleets.ts';
import type { GroupShelf } from './groups.ts';
import type { InstanceTable } from './instances/instance-table.ts';
import type { Knobs } from '../knobs/knobs.ts';
import type { Network } from './network/network.ts';
import type { Usage } from './quotas.ts';
import type { RandomSource } from '../random.ts';
import type { RuleBook } from '../rules.ts';
import type { TemplateShelf } from './templates.ts';
import type { Timers } from './timers.ts';
import type { TokenBook } from './tokens.ts';

/** What one call, or one step that the cloud takes by itself, works with: a region of an account at a time. */
export interface CallContext {
  readonly state: RegionState;
  readonly knobs: Knobs;
  readonly rules: RuleBook;
  readonly random: RandomSource;
  /** Milliseconds of the simulator's clock. */
  readonly now: number;
  /** Ids that were made, changed or removed: whoever acts adds them, the audit shows them. */
  readonly touched: string[];
}

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
  readonly timers: Timers<CallContext>;
  /** The context of what happens there at a time, whether a caller or the cloud itself does it. */
  contextAt(now: number): CallContext;
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
