import { deadShownMs, type BrokerRecord, type BrokerState } from '../model/broker.ts';

/** The lease of a broker as it is stored. */
export interface StoredBroker {
  readonly record: BrokerRecord;
  readonly lease_until: number;
  /** When the lease was found to have ended. */
  readonly ended_at: number | null | undefined;
  readonly holds: number;
}

/** `Renewal.live`: one record for each `broker_id`, that of its latest thread. */
export function liveRecords(records: readonly BrokerRecord[]): readonly BrokerRecord[] {
  if (records.length < 2) return records;
  const latest = new Map(records.toSorted((a, b) => a.thread - b.thread).map((each) => [each.broker_id, each]));
  return [...latest.values()].toSorted((a, b) => (a.broker_id < b.broker_id ? -1 : 1));
}

/** The answer of `Store.brokers`, from the leases in the order in which they began. */
export function brokerStates(stored: readonly StoredBroker[], now: number): readonly BrokerState[] {
  const latest = new Map<string, BrokerState>();
  for (const { record, lease_until, ended_at, holds } of stored.toSorted(
    (a, b) => a.record.thread - b.record.thread,
  )) {
    const over = ended_at ?? (lease_until <= now ? lease_until : undefined);
    if (over !== undefined && over + deadShownMs <= now) continue;
    const status = over !== undefined ? 'dead' : record.draining === true ? 'draining' : 'live';
    latest.set(record.broker_id, { ...record, lease_until, status, holds });
  }
  return [...latest.values()].toSorted((a, b) => (a.broker_id < b.broker_id ? -1 : 1));
}
