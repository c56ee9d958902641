import {
  brokerStates,
  deadShownMs,
  isDead,
  type BrokerRecord,
  type BrokerState,
  type LiveBroker,
} from '../../core/index.ts';

/** The lease of a broker. JSON. */
export interface BrokerLease {
  readonly term: number;
  readonly record: BrokerRecord;
  readonly until: number;
  /** When the lease was found to have ended. */
  readonly ended_at?: number;
}

/** The leases of brokers, by their number. A lease that ended never begins again: its broker gets a new one. */
export class Brokers {
  readonly #leases = new Map<number, BrokerLease>();
  #last = 0;

  /** Whether claims and jobs of this lease are held. */
  runs(term: number): boolean {
    const lease = this.#leases.get(term);
    return lease !== undefined && lease.ended_at === undefined;
  }

  /** Ends the leases that ran out, and those of brokers that `by` knows to be dead. Forgets old ones. */
  endOver(by: BrokerRecord, now: number): void {
    for (const lease of this.#leases.values()) {
      if (lease.ended_at === undefined && (lease.until <= now || isDead(lease.record, by)))
        this.#leases.set(lease.term, { ...lease, ended_at: now });
      else if (lease.ended_at !== undefined && lease.ended_at + deadShownMs <= now) this.#leases.delete(lease.term);
    }
  }

  /** The number of the running lease of a broker. */
  termOf({ broker_id, thread }: BrokerRecord): number | undefined {
    for (const { term, record, ended_at } of this.#leases.values())
      if (ended_at === undefined && record.broker_id === broker_id && record.thread === thread) return term;
    return undefined;
  }

  lease(term: number): BrokerLease | undefined {
    return this.#leases.get(term);
  }

  /** Renews the lease of a broker, or begins one. */
  renew(record: BrokerRecord, until: number): BrokerLease {
    const term = this.termOf(record) ?? (this.#last += 1);
    const lease = { term, record, until: Math.max(until, this.#leases.get(term)?.until ?? 0) };
    this.#leases.set(term, lease);
    return lease;
  }

  /** Ends the leases of a broker that stops. Returns their numbers. */
  leave({ broker_id }: BrokerRecord): ReadonlySet<number> {
    const own = [...this.#leases.values()].filter(({ record }) => record.broker_id === broker_id);
    for (const { term } of own) this.#leases.delete(term);
    return new Set(own.map(({ term }) => term));
  }

  /** Puts back a lease from before a restart. */
  restore(lease: BrokerLease): void {
    this.#leases.set(lease.term, lease);
    this.#last = Math.max(this.#last, lease.term);
  }

  /** Leases that run end at most at this time. */
  shorten(until: number): void {
    for (const lease of this.#leases.values())
      this.#leases.set(lease.term, { ...lease, until: Math.min(lease.until, until) });
  }

  live(): readonly (LiveBroker<number> & { readonly record: BrokerRecord })[] {
    return [...this.#leases.values()]
      .filter(({ ended_at }) => ended_at === undefined)
      .map(({ term, record }) => ({ by: term, record }));
  }

  states(now: number, holds: (term: number) => number): readonly BrokerState[] {
    const stored = [...this.#leases.values()].map(({ term, record, until, ended_at }) => ({
      record: structuredClone(record),
      lease_until: until,
      ended_at,
      holds: holds(term),
    }));
    return brokerStates(stored, now);
  }
}
