import type { StatementSync } from 'node:sqlite';
import { brokerStates, deadShownMs, isDead, type BrokerRecord, type BrokerState } from '../../../core/index.ts';
import { row, rows, type Statements } from '../queries/statements.ts';

/** A broker whose lease was not found to have ended. */
export interface Running {
  readonly by: number;
  readonly record: BrokerRecord;
  readonly lease_until: number;
}

/** The leases of brokers. Each method that writes runs inside a transaction. */
export class Brokers {
  readonly #sql: {
    readonly [name in
      | 'running'
      | 'end'
      | 'forget'
      | 'extend'
      | 'begin'
      | 'leave'
      | 'free'
      | 'shorten'
      | 'all']: StatementSync;
  };

  constructor(statements: Statements) {
    const prepare = (sql: string) => statements.prepare(sql);
    this.#sql = {
      running: prepare('SELECT term, lease_until, doc FROM broker WHERE ended_at IS NULL'),
      end: prepare('UPDATE broker SET ended_at = ? WHERE term = ?'),
      forget: prepare('DELETE FROM broker WHERE ended_at <= ?'),
      extend: prepare('UPDATE broker SET lease_until = max(lease_until, ?), doc = ? WHERE term = ?'),
      begin: prepare('INSERT INTO broker (broker_id, thread, lease_until, doc) VALUES (?, ?, ?, ?) RETURNING term'),
      leave: prepare('DELETE FROM broker WHERE broker_id = ?'),
      free: prepare('UPDATE job SET term = NULL WHERE term IN (SELECT term FROM broker WHERE broker_id = ?)'),
      shorten: prepare('UPDATE broker SET lease_until = min(lease_until, ?) WHERE ended_at IS NULL'),
      all: prepare(`SELECT b.lease_until, b.ended_at, b.doc, (SELECT count(*) FROM claim c WHERE c.term = b.term)
        FROM broker b ORDER BY b.term`),
    };
  }

  /** The brokers whose lease runs, as `by` sees them. Reads without a lock. */
  live(by: BrokerRecord, now: number): readonly Running[] {
    return this.#running().filter((each) => !isOver(each, by, now));
  }

  /** Stores that leases ended, so that they are not renewed after something of theirs was taken over. */
  endOver(by: BrokerRecord, now: number): readonly Running[] {
    const running = this.#running();
    const over = running.filter((each) => isOver(each, by, now));
    for (const { by: term } of over) this.#sql.end.run(now, term);
    return over.length === 0 ? running : running.filter((each) => !over.includes(each));
  }

  /** Renews the lease of a broker, or begins one. Returns its number. */
  renew(broker: BrokerRecord, live: readonly Running[], now: number, lease_ms: number): number {
    const term = termOf(broker, live);
    const doc = JSON.stringify(broker);
    if (term !== undefined) {
      this.#sql.extend.run(now + lease_ms, doc, term);
      return term;
    }
    this.#sql.forget.run(now - deadShownMs);
    return row(this.#sql.begin, [broker.broker_id, broker.thread, now + lease_ms, doc])?.[0] as number;
  }

  /** Ends all leases of the broker. */
  leave({ broker_id }: BrokerRecord): void {
    this.#sql.free.run(broker_id);
    this.#sql.leave.run(broker_id);
  }

  /** Leases that run end at most at this time. */
  shorten(until: number): void {
    this.#sql.shorten.run(until);
  }

  states(now: number): readonly BrokerState[] {
    const stored = rows(this.#sql.all, []).map(([until, ended, doc, holds]) => ({
      record: JSON.parse(doc as string) as BrokerRecord,
      lease_until: until as number,
      ended_at: ended as number | null,
      holds: holds as number,
    }));
    return brokerStates(stored, now);
  }

  #running(): readonly Running[] {
    return rows(this.#sql.running, []).map(([term, until, doc]) => ({
      by: term as number,
      lease_until: until as number,
      record: JSON.parse(doc as string) as BrokerRecord,
    }));
  }
}

/** The number of the lease of a broker. */
export const termOf = ({ broker_id, thread }: BrokerRecord, live: readonly Running[]): number | undefined =>
  live.find(({ record }) => record.broker_id === broker_id && record.thread === thread)?.by;

const isOver = ({ lease_until, record }: Running, by: BrokerRecord, now: number): boolean =>
  lease_until <= now || isDead(record, by);
