import type { StatementSync } from 'node:sqlite';
import { isDead, type Claim, type Owner } from '../../../core/index.ts';
import { row, rows, type Statements } from '../queries/statements.ts';

type Held = Pick<Claim, 'request_id' | 'epoch'>;

/**
 * Requests that are due by time or by a waiting signal, in the order of their due times. Each half stops at the limit,
 * so that a long queue is not read to its end. The third column: an earlier holder did not yield.
 */
const due = `
SELECT request_id, min(due_at), max(taken) FROM (
  SELECT * FROM (
    SELECT r.request_id, r.next_at AS due_at, c.request_id IS NOT NULL AS taken
    FROM request r LEFT JOIN claim c ON c.request_id = r.request_id
    WHERE r.next_at <= :now AND (c.request_id IS NULL OR c.lease_until <= :now OR c.owner IN (SELECT value FROM json_each(:dead)))
    ORDER BY r.next_at, r.request_id LIMIT :limit)
  UNION ALL
  SELECT * FROM (
    SELECT w.request_id, min(w.created_at) AS due_at, c.request_id IS NOT NULL AS taken
    FROM signal w JOIN request r ON r.request_id = w.request_id LEFT JOIN claim c ON c.request_id = w.request_id
    WHERE w.applied = 0 AND (c.request_id IS NULL OR c.lease_until <= :now OR c.owner IN (SELECT value FROM json_each(:dead)))
    GROUP BY w.request_id ORDER BY due_at, w.request_id LIMIT :limit)
) GROUP BY request_id ORDER BY 2, 1 LIMIT :limit`;

/** A smaller backward step of the clock is ignored: two processors may differ, and a leap second is counted twice. */
const toleranceMs = 1_000;

/**
 * The claims of requests: the statements behind `Store.claim`, `renew` and `yield`. Each method that writes runs
 * inside a transaction.
 */
export class Claims {
  readonly #now: () => number;
  readonly #sql: {
    readonly [name in
      | 'owners'
      | 'due'
      | 'raise'
      | 'take'
      | 'holds'
      | 'renew'
      | 'yield'
      | 'last'
      | 'storeClock'
      | 'makeDue'
      | 'shorten']: StatementSync;
  };

  constructor(statements: Statements, now: () => number) {
    this.#now = now;
    const prepare = (sql: string) => statements.prepare(sql);
    this.#sql = {
      owners: prepare('SELECT DISTINCT owner FROM claim'),
      due: prepare(due),
      raise: prepare('UPDATE request SET epoch = epoch + 1 WHERE request_id = ? RETURNING epoch'),
      take: prepare(`INSERT INTO claim (request_id, epoch, owner, lease_until) VALUES (?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET epoch = excluded.epoch, owner = excluded.owner, lease_until = excluded.lease_until`),
      holds: prepare('SELECT 1 FROM claim WHERE owner = ? LIMIT 1'),
      renew: prepare(
        'UPDATE claim SET lease_until = max(lease_until, ?) WHERE owner = ? AND lease_until > ? RETURNING request_id, epoch',
      ),
      yield: prepare('DELETE FROM claim WHERE request_id = ? AND epoch = ?'),
      last: prepare("SELECT n FROM counter WHERE of = 'clock'"),
      storeClock: prepare("INSERT INTO counter VALUES ('clock', '', '', ?) ON CONFLICT DO UPDATE SET n = excluded.n"),
      makeDue: prepare(
        "UPDATE request SET next_at = :now, doc = json_set(doc, '$.next_at', :now) WHERE next_at > :now",
      ),
      shorten: prepare('UPDATE claim SET lease_until = min(lease_until, ?)'),
    };
  }

  /** Whether `claim` would take any request. Reads without a lock. */
  anyDue(owner: Owner): boolean {
    return this.#wasSetBack(this.#now()) || this.#due(owner, 1).length > 0;
  }

  /** Whether the owner has claims that `renew` could extend. */
  holdsAny(owner: Owner): boolean {
    return row(this.#sql.holds, [ownerText(owner)]) !== undefined;
  }

  claim(owner: Owner, limit: number, lease_ms: number): readonly Claim[] {
    const until = this.#note(lease_ms) + lease_ms;
    const holder = ownerText(owner);
    return this.#due(owner, limit).map(([id, , taken]) => {
      const request_id = id as string;
      const epoch = row(this.#sql.raise, [request_id])?.[0] as number;
      this.#sql.take.run(request_id, epoch, holder, until);
      return { request_id, epoch, taken_over: taken === 1 };
    });
  }

  renew(owner: Owner, lease_ms: number): readonly Held[] {
    const now = this.#note(lease_ms);
    return rows(this.#sql.renew, [now + lease_ms, ownerText(owner), now]).map(([id, epoch]) => ({
      request_id: id as string,
      epoch: epoch as number,
    }));
  }

  yield(claims: readonly Held[]): void {
    for (const { request_id, epoch } of claims) this.#sql.yield.run(request_id, epoch);
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
      this.#sql.shorten.run(now + lease_ms);
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

  #due(owner: Owner, limit: number): readonly (readonly unknown[])[] {
    const dead = rows(this.#sql.owners, [])
      .map(([text]) => text as string)
      .filter((text) => isDead(readOwner(text), owner));
    return this.#sql.due.all({
      now: this.#now(),
      limit,
      dead: JSON.stringify(dead),
    }) as unknown as readonly (readonly unknown[])[];
  }
}

/** An owner as one column: equal texts are the same owner. */
const ownerText = ({ host, boot, pid, started, thread }: Owner): string =>
  JSON.stringify([host, boot, pid, started, thread]);

function readOwner(text: string): Owner {
  const [host, boot, pid, started, thread] = JSON.parse(text);
  return { host, boot, pid, started, thread };
}
