import { isDead, type Claim, type Owner } from '../../../core/index.ts';
import type { Row, Statement } from '../database/connection.ts';
import { bound } from '../queries/dialect.ts';

type Held = Pick<Claim, 'request_id' | 'epoch'>;
type Run = (statements: readonly Statement[]) => Promise<readonly (readonly Row[])[]>;

/** A smaller backward step of the clock is ignored: a leap second is counted twice. */
const toleranceMs = 1_000;

/**
 * Claims requests that are due by time or by a waiting signal. Requests that another claim or commit is working on at
 * this moment are skipped. A request that another owner claimed since this statement began is locked, but not taken:
 * its row of the result is empty, and the statement is repeated. Values: the owner, the limit, the lease. Returns for
 * each taken request its epoch, and whether it was taken over.
 */
const taking = (s: string): string => `
WITH ended AS MATERIALIZED (SELECT coalesce(array_agg(id), '{}') AS ids FROM ${s}.holder WHERE ended),
by_time AS MATERIALIZED (
  SELECT r.request_id, r.epoch, r.next_at AS due_at, c.request_id IS NOT NULL AS taken
  FROM ${s}.request AS r LEFT JOIN ${s}.claim AS c ON c.request_id = r.request_id
  WHERE r.next_at <= (SELECT ${s}.now_ms()) AND (c.request_id IS NULL OR c.holder = ANY((SELECT ids FROM ended)::bigint[]))
  ORDER BY r.next_at, r.request_id LIMIT $2 FOR NO KEY UPDATE OF r SKIP LOCKED),
by_signal AS MATERIALIZED (
  SELECT r.request_id, r.epoch, w.due_at, c.request_id IS NOT NULL AS taken
  FROM (SELECT request_id, min(created_at) AS due_at FROM ${s}.signal WHERE applied = 0 GROUP BY request_id) AS w
  JOIN ${s}.request AS r ON r.request_id = w.request_id LEFT JOIN ${s}.claim AS c ON c.request_id = r.request_id
  WHERE c.request_id IS NULL OR c.holder = ANY((SELECT ids FROM ended)::bigint[])
  ORDER BY w.due_at, r.request_id LIMIT $2 FOR NO KEY UPDATE OF r SKIP LOCKED),
due AS MATERIALIZED (
  SELECT request_id, max(epoch) AS epoch, min(due_at) AS due_at, bool_or(taken) AS taken
  FROM (SELECT * FROM by_time UNION ALL SELECT * FROM by_signal) AS both_ways
  GROUP BY request_id ORDER BY 3, 1 LIMIT $2),
holder AS (
  INSERT INTO ${s}.holder AS h (owner, lease_until) SELECT $1, ${s}.now_ms() + $3::bigint WHERE EXISTS (SELECT FROM due)
  ON CONFLICT (owner) WHERE NOT ended DO UPDATE SET lease_until = greatest(h.lease_until, excluded.lease_until)
  RETURNING id),
taken AS (
  INSERT INTO ${s}.claim AS c (request_id, epoch, holder) SELECT due.request_id, due.epoch + 1, holder.id FROM due, holder
  ON CONFLICT (request_id) DO UPDATE SET epoch = excluded.epoch, holder = excluded.holder
    WHERE c.holder = ANY((SELECT ids FROM ended)::bigint[]) AND c.epoch < excluded.epoch
  RETURNING request_id, epoch),
raised AS (
  UPDATE ${s}.request AS r SET epoch = t.epoch FROM taken AS t WHERE r.request_id = t.request_id RETURNING r.request_id, r.epoch)
SELECT raised.request_id, raised.epoch, due.taken FROM due LEFT JOIN raised ON raised.request_id = due.request_id ORDER BY due.due_at, due.request_id`;

/** The claims of requests: the statements behind `Store.claim`, `renew` and `yield`. */
export class Claims {
  readonly #run: Run;
  readonly #sql;
  /** Holders that were dead at the last claim, as that owner saw them. They end with the next. */
  #dead: { readonly by: string; readonly ids: readonly number[] } = { by: '', ids: [] };

  constructor(s: string, run: Run) {
    this.#run = run;
    this.#sql = {
      now: `SELECT ${s}.now_ms(), last FROM ${s}.clock`,
      holders: `SELECT id, owner FROM ${s}.holder WHERE NOT ended`,
      end: `UPDATE ${s}.holder SET ended = true WHERE NOT ended AND (lease_until <= (SELECT ${s}.now_ms()) OR id = ANY($1::bigint[]))`,
      take: taking(s),
      forget: `DELETE FROM ${s}.holder AS h WHERE ended AND NOT EXISTS (SELECT FROM ${s}.claim AS c WHERE c.holder = h.id)`,
      note: `UPDATE ${s}.clock SET last = $1`,
      makeDue: `UPDATE ${s}.request SET next_at = $1 WHERE next_at > $1`,
      shorten: `UPDATE ${s}.holder SET lease_until = least(lease_until, $1) WHERE NOT ended`,
      renew: `WITH own AS (
          UPDATE ${s}.holder SET lease_until = greatest(lease_until, ${s}.now_ms() + $2::bigint)
          WHERE owner = $1 AND NOT ended AND lease_until > ${s}.now_ms() RETURNING id)
        SELECT c.request_id, c.epoch FROM ${s}.claim AS c, own WHERE c.holder = own.id`,
      yield: `DELETE FROM ${s}.claim AS c USING unnest($1::text[], $2::bigint[]) AS y(request_id, epoch)
        WHERE c.request_id = y.request_id AND c.epoch = y.epoch`,
    };
  }

  async claim(owner: Owner, limit: number, lease_ms: number): Promise<readonly Claim[]> {
    const { now, holders, end, take } = this.#sql;
    const holder = ownerText(owner);
    const taken: Claim[] = [];
    for (;;) {
      const known = this.#dead.by === holder ? this.#dead.ids : [];
      // One transaction: what is ended here is free in its next statement.
      const [, clock = [], present = [], , found = []] = await this.#run([
        { text: 'BEGIN' },
        { text: now, values: [] },
        { text: holders, values: [] },
        { text: end, values: [known] },
        { text: take, values: [holder, limit - taken.length, lease_ms] },
        { text: 'COMMIT' },
      ]);
      const claims = found.filter(([id]) => id !== null);
      taken.push(...claims.map(([id, epoch, over]) => claimed(id, epoch, over)));
      const dead = present.filter(([, text]) => isDead(readOwner(text as string), owner)).map(([id]) => id as number);
      this.#dead = { by: holder, ids: dead };
      const wasSetBack = await this.#note(clock[0], lease_ms);
      const isNews = wasSetBack || dead.some((id) => !known.includes(id));
      if (taken.length >= limit || (claims.length === found.length && !isNews)) return taken;
    }
  }

  async renew(owner: Owner, lease_ms: number): Promise<readonly Held[]> {
    const [found = []] = await this.#run([{ text: this.#sql.renew, values: [ownerText(owner), lease_ms] }]);
    return found.map(([id, epoch]) => ({ request_id: id as string, epoch: epoch as number }));
  }

  async yield(claims: readonly Held[]): Promise<void> {
    if (claims.length === 0) return;
    const ids = claims.map(({ request_id }) => bound(request_id));
    await this.#run([{ text: this.#sql.yield, values: [ids, claims.map(({ epoch }) => epoch)] }]);
  }

  /**
   * Stores the time of the database, so that every broker knows it later. After its clock was set back, as by a change
   * to another server, all waiting requests are due, since they would otherwise wait for as long as the clock was set
   * back by; and leases end as if they began now. Returns whether it was set back.
   */
  async #note(row: Row | undefined, lease_ms: number): Promise<boolean> {
    const [now, last] = (row ?? []) as readonly [number, number | null];
    const wasSetBack = last !== null && now + toleranceMs < last;
    const { note, makeDue, shorten, forget } = this.#sql;
    if (wasSetBack)
      await this.#run([
        { text: 'BEGIN' },
        { text: note, values: [now] },
        { text: makeDue, values: [now] },
        { text: shorten, values: [now + lease_ms] },
        { text: 'COMMIT' },
      ]);
    else if (last === null || now > last + toleranceMs) {
      await this.#run([{ text: note, values: [now] }]);
      await this.#run([{ text: forget, values: [] }]);
    }
    return wasSetBack;
  }
}

const claimed = (id: unknown, epoch: unknown, over: unknown): Claim => ({
  request_id: id as string,
  epoch: epoch as number,
  taken_over: over === true,
});

/** An owner as one column: equal texts are the same owner. */
const ownerText = ({ host, boot, pid, started, thread }: Owner): string =>
  JSON.stringify([host, boot, pid, started, thread]);

function readOwner(text: string): Owner {
  const [host, boot, pid, started, thread] = JSON.parse(text);
  return { host, boot, pid, started, thread };
}
