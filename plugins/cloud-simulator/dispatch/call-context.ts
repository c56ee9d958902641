import type { Knobs } from '../knobs/knobs.ts';
import type { RandomSource } from '../random.ts';
import type { RuleBook } from '../rules.ts';
import type { RegionState } from '../state/region-state.ts';

/** One moment in one region of one account: what everything that happens there works with, whether a caller or the cloud itself does it. */
export interface Moment {
  readonly state: RegionState;
  readonly knobs: Knobs;
  readonly rules: RuleBook;
  readonly random: RandomSource;
  /** Milliseconds of the simulator's clock. */
  readonly now: number;
  /** Ids that were made, changed or removed: whoever acts adds them, the audit shows them. */
  readonly touched: string[];
}
