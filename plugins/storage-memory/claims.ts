import {
  claimable,
  liveRecords,
  surplusOf,
  type BrokerRecord,
  type BrokerState,
  type Claim,
  type Held,
  type HeldCount,
  type JobLease,
  type Renewal,
} from '../../core/index.ts';
import { Brokers, type BrokerLease } from './brokers.ts';
import type { Table } from './table.ts';

interface Holding {
  /** The lease of the holder. */
  readonly term: number;
  readonly epoch: number;
}

interface Job {
  /** Absent: the job is free. */
  readonly term?: number;
  readonly epoch: number;
}

/** A claim with the number of the lease of its holder. JSON. */
export type HeldClaim = Holding & Held;

/** A smaller backward step of the clock is ignored. */
const toleranceMs = 1_000;

/**
 * The claims of requests and the leases of jobs. A claim stays until its holder yields it: when a new holder finds a
 * claim, it was not yielded.
 */
export class Claims {
  readonly #claims = new Map<string, Holding>();
  readonly #jobs = new Map<string, Job>();
  readonly #brokers = new Brokers();
  readonly #requests: Table;
  readonly #signals: Table;
  readonly #now: () => number;
  #last = -Infinity;

  constructor(requests: Table, signals: Table, now: () => number) {
    this.#requests = requests;
    this.#signals = signals;
    this.#now = now;
  }

  claim(broker: BrokerRecord, limit: number, lease_ms: number): readonly Claim[] {
    const now = this.#note(lease_ms);
    this.#brokers.endOver(broker, now);
    const due = this.#mayHave(
      broker,
      this.#due(now).filter((id) => this.#isFree(id)),
    ).slice(0, limit);
    if (due.length === 0) return [];
    const { term } = this.#brokers.renew(broker, now + lease_ms);
    return due.map((id) => {
      const request = this.#requests.get({ request_id: id }) ?? {};
      const epoch = Number(request['epoch']) + 1;
      const taken_over = this.#claims.has(id);
      this.#requests.set({ ...request, epoch });
      this.#claims.set(id, { term, epoch });
      return { request_id: id, epoch, taken_over };
    });
  }

  /** Those of the claims that are still held. */
  held(claims: readonly Held[]): readonly HeldClaim[] {
    return claims.flatMap(({ request_id, epoch }) => {
      const held = this.#claims.get(request_id);
      return held?.epoch === epoch ? [{ request_id, ...held }] : [];
    });
  }

  renew(broker: BrokerRecord, lease_ms: number): Renewal {
    const now = this.#note(lease_ms);
    this.#brokers.endOver(broker, now);
    const { term } = this.#brokers.renew(broker, now + lease_ms);
    const mine = [...this.#claims].filter(([, held]) => held.term === term);
    const live = this.#brokers.live();
    return {
      claims: mine.map(([request_id, { epoch }]) => ({ request_id, epoch })),
      live: liveRecords(live.map(({ record }) => structuredClone(record))),
      surplus:
        live.length < 2
          ? []
          : surplusOf(
              term,
              live,
              this.#heldCounts(),
              mine.map(([request_id]) => ({ request_id, needs: this.#needs(request_id) })),
            ),
    };
  }

  yield(claims: readonly Held[]): void {
    for (const { request_id, epoch } of claims)
      if (this.#claims.get(request_id)?.epoch === epoch) this.#claims.delete(request_id);
  }

  leave(broker: BrokerRecord): void {
    const terms = this.#brokers.leave(broker);
    for (const [name, { term, epoch }] of this.#jobs)
      if (term !== undefined && terms.has(term)) this.#jobs.set(name, { epoch });
  }

  brokers(): readonly BrokerState[] {
    return this.#brokers.states(this.#now(), (term) =>
      [...this.#claims.values()].reduce((count, held) => count + Number(held.term === term), 0),
    );
  }

  job(broker: BrokerRecord, job: string, lease_ms: number): JobLease | undefined {
    const now = this.#note(lease_ms);
    this.#brokers.endOver(broker, now);
    const term = this.#brokers.termOf(broker) ?? this.#brokers.renew(broker, now + lease_ms).term;
    const present = this.#jobs.get(job);
    if (present?.term === term) return { job, epoch: present.epoch };
    if (present?.term !== undefined && this.#brokers.runs(present.term)) return undefined;
    const epoch = (present?.epoch ?? 0) + 1;
    this.#jobs.set(job, { term, epoch });
    return { job, epoch };
  }

  freeJob({ job, epoch }: JobLease): void {
    if (this.#jobs.get(job)?.epoch === epoch) this.#jobs.set(job, { epoch });
  }

  /** The present epoch of a job. */
  epochOf(job: string): number | undefined {
    return this.#jobs.get(job)?.epoch;
  }

  /** The running lease of a broker, for a journal. */
  leaseOf(broker: BrokerRecord): BrokerLease | undefined {
    const term = this.#brokers.termOf(broker);
    return term === undefined ? undefined : this.#brokers.lease(term);
  }

  /** Restores a lease, and claims that were given before a restart. */
  restore(lease: BrokerLease | undefined, claims: readonly HeldClaim[]): void {
    if (lease) this.#brokers.restore(lease);
    for (const { request_id, ...held } of claims) {
      const request = this.#requests.get({ request_id });
      if (!request) continue;
      this.#requests.set({ ...request, epoch: held.epoch });
      this.#claims.set(request_id, held);
    }
  }

  /** Restores a job that was given before a restart. */
  restoreJob({ job, epoch }: JobLease, term: number | undefined): void {
    this.#jobs.set(job, term === undefined ? { epoch } : { term, epoch });
  }

  /** Removes claims of deleted requests: a request with the same id begins without a holder. */
  forgetDeleted(): void {
    for (const id of this.#claims.keys()) if (!this.#requests.get({ request_id: id })) this.#claims.delete(id);
  }

  /**
   * After the clock was set back since its last reading, all waiting requests are due, and leases end as if they began
   * now.
   */
  #note(lease_ms: number): number {
    const now = this.#now();
    if (now + toleranceMs < this.#last) {
      for (const request of this.#requests.all())
        if (Number(request['next_at'] ?? 0) > now) this.#requests.set({ ...request, next_at: now });
      this.#brokers.shorten(now + lease_ms);
    }
    this.#last = now;
    return now;
  }

  /** Requests that are due by time or by a waiting signal, in the order of their due times. */
  #due(now: number): readonly string[] {
    const due = new Map<string, number>();
    for (const { request_id, next_at } of this.#requests.all()) {
      if (typeof next_at === 'number' && next_at <= now) due.set(request_id as string, next_at);
    }
    for (const { request_id, applied, created_at } of this.#signals.all()) {
      if (applied || !this.#requests.get({ request_id })) continue;
      due.set(
        request_id as string,
        Math.min(due.get(request_id as string) ?? Number.POSITIVE_INFINITY, created_at as number),
      );
    }
    return [...due].toSorted(([a, at], [b, bt]) => at - bt || (a < b ? -1 : 1)).map(([id]) => id);
  }

  /** Those of the free requests that a broker may have beside the other live brokers. */
  #mayHave(broker: BrokerRecord, free: readonly string[]): readonly string[] {
    const term = this.#brokers.termOf(broker);
    const others = this.#brokers.live().filter(({ by }) => by !== term);
    if (others.length === 0) return free;
    const waiting = [...Map.groupBy(free, (id) => this.#needs(id))];
    const most = new Map(
      claimable(
        term ?? 0,
        [...others, { by: term ?? 0, record: broker }],
        this.#heldCounts(),
        waiting.map(([needs, ids]) => ({ needs, count: ids.length })),
      ),
    );
    return free.filter((id) => {
      const needs = this.#needs(id);
      const left = most.get(needs) ?? 0;
      most.set(needs, left - 1);
      return left > 0;
    });
  }

  #heldCounts(): readonly HeldCount<number>[] {
    return [...this.#claims].map(([id, { term }]) => ({ by: term, needs: this.#needs(id), count: 1 }));
  }

  #needs(request_id: string): string {
    return (this.#requests.get({ request_id })?.['needs'] as string | undefined) ?? '';
  }

  #isFree(id: string): boolean {
    const held = this.#claims.get(id);
    return !held || !this.#brokers.runs(held.term);
  }
}
