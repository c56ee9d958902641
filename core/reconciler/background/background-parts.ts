import type { Clock } from '../../contract/clock.ts';
import type { Log } from '../../contract/log.ts';
import type { Facts } from '../../providers/facts.ts';
import type { SessionPool } from '../../providers/guard/session-pool.ts';
import type { Store } from '../../contract/storage.ts';
import type { Settings } from '../settings.ts';

/** What the work between requests has around it: sweeps, surveys, looking up strangers. */
export interface BackgroundParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly facts: Facts;
  readonly settings: Settings;
  readonly pool: SessionPool;
  /** Aborts when the loop stops. */
  readonly signal: AbortSignal;
}
