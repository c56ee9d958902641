import type { Clock } from '../../contract/clock.ts';
import type { Log } from '../../contract/log.ts';
import type { Facts } from '../../providers/facts.ts';
import type { SessionPool } from '../../providers/guard/session-pool.ts';
import type { Store } from '../../contract/storage.ts';
import type { BrokerRecord } from '../../model/broker.ts';
import type { Settings } from '../settings.ts';

/** The dependencies of the background work: sweeps, discovery, and lookups of unknown hosts. */
export interface BackgroundParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly facts: Facts;
  readonly settings: Settings;
  readonly pool: SessionPool;
  /** The present record of this broker. */
  readonly broker: () => BrokerRecord;
  /** Aborts when the loop stops. */
  readonly signal: AbortSignal;
}
