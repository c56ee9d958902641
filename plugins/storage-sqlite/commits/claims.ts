import type { StatementSync } from 'node:sqlite';
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
} from '../../../core/index.ts';
import { row, rows, type Row, type Statements } from '../queries/statements.ts';
import { Brokers, termOf, type Running } from './brokers.ts';

/** A request that no running lease holds. `:live`: the numbers of the running leases. */
const isFree = '(c.request_id IS NULL OR c.term NOT IN (SELECT value FROM json_each(:live)))';
/** `:needs`: what the claimed requests may need; null for everything. */
const isWanted = "(:needs IS NULL OR coalesce(r.needs, '') IN (SELECT value FROM json_each(:needs)))";

/**
 * Requests that are due by time or by a waiting signal, in the order of their due times. Each half stops at the limit,
 * so that a long queue is not read to its end. The third column: an earlier holder did not yield.
 */
const due = `
SELECT request_id, min(due_at), max(taken), max(needs) FROM (
  SELECT * FROM (
    SELECT r.request_id, r.next_at AS due_at, c.request_id IS NOT NULL AS taken, coalesce(r.needs, '') AS needs
    FROM request r LEFT JOIN claim c ON c.request_id = r.request_id
    WHERE r.next_at <= :now AND ${isFree} AND ${isWanted}
    ORDER BY r.next_at, r.request_id LIMIT :limit)
  UNION ALL
  SELECT * FROM (
    SELECT w.request_id, min(w.created_at) AS due_at, c.request_id IS NOT NULL AS taken, coalesce(r.needs, '') AS needs
    FROM signal w JOIN request r ON r.request_id = w.request_id LEFT JOIN claim c ON c.request_id = w.request_id
    WHERE w.applied = 0 AND ${isFree} AND ${isWanted}
    GROUP BY w.request_id ORDER BY due_at, w.request_id LIMIT :limit)
) GROUP BY request_id ORDER BY 2, 1 LIMIT :limit`;

/** How many requests are due and free, by their needs. */
const waiting = `
SELECT coalesce(r.needs, ''), count(*) FROM (
  SELECT request_id, needs FROM request WHERE next_at <= :now
  UNION SELECT s.request_id, s.needs FROM signal w JOIN request s ON s.request_id = w.request_id WHERE w.applied = 0
) r LEFT JOIN claim c ON c.request_id = r.request_id WHERE ${isFree} GROUP BY 1`;

/** A smaller backward step of the clock is ignored: two processors may differ, and a leap second is counted twice. */
const toleranceMs = 1_000;

/**
 * The claims of requests and the leases of jobs: the statements behind the methods of `Store`. Each method that writes
 * runs inside a transaction.
 */
export class Claims {
  readonly #now: () => number;
  readonly #brokers: Brokers;
  readonly #sql: {
    readonly [name in
      | 'due'
      | 'waiting'
      | 'raise'
      | 'take'
      | 'held'
      | 'counts'
      | 'yield'
      | 'job'
      | 'takeJob'
      | 'freeJob'
      | 'last'
      | 'storeClock'
      | 'makeDue']: StatementSync;
  };

  constructor(statements: Statements, now: () => number) {
    this.#now = now;
    this.#brokers = new Brokers(statements);
    const prepare = (sql: string) => statements.prepare(sql);
    this.#sql = {
      due: prepare(due),
      waiting: prepare(waiting),
      raise: prepare('UPDATE request SET epoch = epoch + 1 WHERE request_id = ? RETURNING epoch'),
      take: prepare(`INSERT INTO claim (request_id, epoch, term) VALUES (?, ?, ?)
        ON CONFLICT DO UPDATE SET epoch = excluded.epoch, term = excluded.term`),
      held: prepare(
        "SELECT c.request_id, c.epoch, coalesce(r.needs, '') FROM claim c JOIN request r USING (request_id) WHERE c.term = ?",
      ),
      counts: prepare(
        "SELECT c.term, coalesce(r.needs, ''), count(*) FROM claim c JOIN request r USING (request_id) GROUP BY 1, 2",
      ),
      yield: prepare('DELETE FROM claim WHERE request_id = ? AND epoch = ?'),
      job: prepare('SELECT epoch, term FROM job WHERE job = ?'),
      takeJob: prepare(`INSERT INTO job (job, epoch, term) VALUES (?, 1, ?)
        ON CONFLICT DO UPDATE SET epoch = epoch + 1, term = excluded.term RETURNING epoch`),
      freeJob: prepare('UPDATE job SET term = NULL WHERE job = ? AND epoch = ?'),
      last: prepare("SELECT n FROM counter WHERE of = 'clock'"),
      storeClock: prepare("INSERT INTO counter VALUES ('clock', '', '', ?) ON CONFLICT DO UPDATE SET n = excluded.n"),
      makeDue: prepare(
        "UPDATE request SET next_at = :now, doc = json_set(doc, '$.next_at', :now) WHERE next_at > :now",
      ),
    };
  }

  /** Whether `claim` would find any request. Reads without a lock. */
  anyDue(broker: BrokerRecord): boolean {
    const now = this.#now();
    return this.#wasSetBack(now) || this.#due(now, this.#brokers.live(broker, now), null, 1).length > 0;
  }

  claim(broker: BrokerRecord, limit: number, lease_ms: number): readonly Claim[] {
    const now = this.#note(lease_ms);
    const live = this.#brokers.endOver(broker, now);
    const found = this.#mayHave(broker, now, live, limit);
    if (found.length === 0) return [];
    const term = this.#brokers.renew(broker, live, now, lease_ms);
    return found.map(([id, , taken]) => {
      const request_id = id as string;
      const epoch = row(this.#sql.raise, [request_id])?.[0] as number;
      this.#sql.take.run(request_id, epoch, term);
      return { request_id, epoch, taken_over: taken === 1 };
    });
  }

  renew(broker: BrokerRecord, lease_ms: number): Renewal {
    const now = this.#note(lease_ms);
    const live = this.#brokers.endOver(broker, now);
    const term = this.#brokers.renew(broker, live, now, lease_ms);
    const mine = rows(this.#sql.held, [term]);
    const others = live.filter(({ by }) => by !== term);
    return {
      claims: mine.map(([id, epoch]) => ({ request_id: id as string, epoch: epoch as number })),
      live: liveRecords([...others.map(({ record }) => record), broker]),
      surplus:
        others.length === 0
          ? []
          : surplusOf(
              term,
              [...others, { by: term, record: broker }],
              this.#counts(),
              mine.map(([id, , needs]) => ({ request_id: id as string, needs: needs as string })),
            ),
    };
  }

  yield(claims: readonly Held[]): void {
    for (const { request_id, epoch } of claims) this.#sql.yield.run(request_id, epoch);
  }

  leave(broker: BrokerRecord): void {
    this.#brokers.leave(broker);
  }

  brokers(): readonly BrokerState[] {
    return this.#brokers.states(this.#now());
  }

  /** The lease of a job that the broker has already. Reads without a lock. */
  ownJob(broker: BrokerRecord, job: string): JobLease | undefined {
    const now = this.#now();
    const term = termOf(broker, this.#brokers.live(broker, now));
    const present = row(this.#sql.job, [job]);
    return present && term !== undefined && present[1] === term ? { job, epoch: present[0] as number } : undefined;
  }

  job(broker: BrokerRecord, job: string, lease_ms: number): JobLease | undefined {
    const now = this.#note(lease_ms);
    const live = this.#brokers.endOver(broker, now);
    const present = row(this.#sql.job, [job]);
    const holder = live.find(({ by }) => by === present?.[1]);
    const own = termOf(broker, live);
    if (holder && holder.by !== own) return undefined;
    if (holder) return { job, epoch: present?.[0] as number };
    const term = own ?? this.#brokers.renew(broker, live, now, lease_ms);
    return { job, epoch: row(this.#sql.takeJob, [job, term])?.[0] as number };
  }

  freeJob({ job, epoch }: JobLease): void {
    this.#sql.freeJob.run(job, epoch);
  }

  /**
   * Returns the current time and stores it, so that every process knows it later. After the clock was set back, all
   * waiting requests are due, since they would otherwise wait for as long as the clock was set back by; and leases end
   * as if they began now.
   */
  #note(lease_ms: number): number {
    const now = this.#now();
    const last = this.#last();
    if (this.#wasSetBack(now)) {
      this.#sql.makeDue.run({ now });
      this.#brokers.shorten(now + lease_ms);
      this.#sql.storeClock.run(now);
    } else if (last === undefined || now > last + toleranceMs) this.#sql.storeClock.run(now);
    return now;
  }

  #wasSetBack(now: number): boolean {
    return now + toleranceMs < (this.#last() ?? now);
  }

  #last(): number | undefined {
    return row(this.#sql.last, [])?.[0] as number | undefined;
  }

  /** The due requests that a broker may have beside the other live brokers. */
  #mayHave(broker: BrokerRecord, now: number, live: readonly Running[], limit: number): readonly Row[] {
    const own = termOf(broker, live) ?? 0;
    const others = live.filter(({ by }) => by !== own);
    if (others.length === 0) return this.#due(now, live, null, limit);
    const found = this.#sql.waiting.all({ now, live: termsOf(live) }) as unknown as readonly Row[];
    const free = found.map(([needs, count]) => ({ needs: needs as string, count: count as number }));
    const most = new Map(claimable(own, [...others, { by: own, record: broker }], this.#counts(), free));
    if (most.size === 0) return [];
    return this.#due(now, live, [...most.keys()], limit).filter(([, , , needs]) => {
      const left = most.get(needs as string) ?? 0;
      most.set(needs as string, left - 1);
      return left > 0;
    });
  }

  /** How many requests each lease holds, by their needs. */
  #counts(): readonly HeldCount<number>[] {
    return rows(this.#sql.counts, []).map(([by, needs, count]) => ({
      by: by as number,
      needs: needs as string,
      count: count as number,
    }));
  }

  #due(now: number, live: readonly Running[], needs: readonly string[] | null, limit: number): readonly Row[] {
    return this.#sql.due.all({
      now,
      limit,
      live: termsOf(live),
      needs: needs === null ? null : JSON.stringify(needs),
    }) as unknown as readonly Row[];
  }
}

const termsOf = (live: readonly Running[]): string => JSON.stringify(live.map(({ by }) => by));
