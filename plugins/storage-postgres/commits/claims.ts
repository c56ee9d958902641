import {
  claimable,
  isDead,
  liveRecords,
  surplusOf,
  type BrokerRecord,
  type Claim,
  type Held,
  type HeldCount,
  type LiveBroker,
  type Renewal,
} from '../../../core/index.ts';
import { beginning } from '../database/beginning.ts';
import type { Row, Statement } from '../connections/statement.ts';
import { bound } from '../queries/dialect.ts';
import { leaseValues, type BrokerLeases } from './broker-leases.ts';

type Run = (statements: readonly Statement[]) => Promise<readonly (readonly Row[])[]>;

/** A smaller backward step of the clock is ignored: a leap second is counted twice. */
const toleranceMs = 1_000;

/**
 * Claims requests that are due by time or by a waiting signal. Requests that another claim or commit is working on at
 * this moment are skipped. A request that another broker claimed since this statement began is locked, but not taken:
 * its row of the result is empty, and the statement is repeated. Values: the lease of the broker, the limit, and what
 * may be claimed by needs: the needs and their numbers, or null for all. Returns for each taken request its epoch, and
 * whether it was taken over.
 */
const taking = (s: string, renewed: string): string => `
WITH ended AS MATERIALIZED (SELECT coalesce(array_agg(term), '{}') AS terms FROM ${s}.broker WHERE ended_at IS NOT NULL),
by_time AS MATERIALIZED (
  SELECT r.request_id, r.epoch, r.next_at AS due_at, c.request_id IS NOT NULL AS taken, coalesce(r.needs, '') AS needs
  FROM ${s}.request AS r LEFT JOIN ${s}.claim AS c ON c.request_id = r.request_id
  WHERE r.next_at <= (SELECT ${s}.now_ms()) AND (c.request_id IS NULL OR c.term = ANY((SELECT terms FROM ended)::bigint[]))
    AND ($6::text[] IS NULL OR coalesce(r.needs, '') = ANY($6::text[]))
  ORDER BY r.next_at, r.request_id LIMIT $5 FOR NO KEY UPDATE OF r SKIP LOCKED),
by_signal AS MATERIALIZED (
  SELECT r.request_id, r.epoch, w.due_at, c.request_id IS NOT NULL AS taken, coalesce(r.needs, '') AS needs
  FROM (SELECT request_id, min(created_at) AS due_at FROM ${s}.signal WHERE applied = 0 GROUP BY request_id) AS w
  JOIN ${s}.request AS r ON r.request_id = w.request_id LEFT JOIN ${s}.claim AS c ON c.request_id = r.request_id
  WHERE (c.request_id IS NULL OR c.term = ANY((SELECT terms FROM ended)::bigint[]))
    AND ($6::text[] IS NULL OR coalesce(r.needs, '') = ANY($6::text[]))
  ORDER BY w.due_at, r.request_id LIMIT $5 FOR NO KEY UPDATE OF r SKIP LOCKED),
found AS MATERIALIZED (
  SELECT request_id, max(epoch) AS epoch, min(due_at) AS due_at, bool_or(taken) AS taken, max(needs) AS needs
  FROM (SELECT * FROM by_time UNION ALL SELECT * FROM by_signal) AS both_ways
  GROUP BY request_id ORDER BY 3, 1 LIMIT $5),
due AS MATERIALIZED (
  SELECT f.* FROM (SELECT *, row_number() OVER (PARTITION BY needs ORDER BY due_at, request_id) AS place FROM found) AS f
  LEFT JOIN unnest($6::text[], $7::bigint[]) AS m(needs, most) ON m.needs = f.needs
  WHERE $6::text[] IS NULL OR f.place <= m.most),
lease AS (${renewed}),
taken AS (
  INSERT INTO ${s}.claim AS c (request_id, epoch, term) SELECT due.request_id, due.epoch + 1, lease.term FROM due, lease
  ON CONFLICT (request_id) DO UPDATE SET epoch = excluded.epoch, term = excluded.term
    WHERE c.term = ANY((SELECT terms FROM ended)::bigint[]) AND c.epoch < excluded.epoch
  RETURNING request_id, epoch),
raised AS (
  UPDATE ${s}.request AS r SET epoch = t.epoch FROM taken AS t WHERE r.request_id = t.request_id RETURNING r.request_id, r.epoch)
SELECT raised.request_id, raised.epoch, due.taken FROM due LEFT JOIN raised ON raised.request_id = due.request_id ORDER BY due.due_at, due.request_id`;

/** What a broker may claim: the needs and their numbers, or null for all; and how many in total. */
interface Share {
  readonly byNeeds: readonly [readonly string[], readonly number[]] | readonly [null, null];
  readonly total: number;
}
const everything: Share = { byNeeds: [null, null], total: Infinity };

/** What is known about the other brokers since the last call for a broker. */
interface Known {
  readonly of: string;
  /** Leases whose broker was dead at the last claim. They end with the next. */
  readonly dead: readonly number[];
  readonly isAlone: boolean;
}

/** The claims of requests: the statements behind `Store.claim`, `renew` and `yield`. */
export class Claims {
  readonly #run: Run;
  readonly #leases: BrokerLeases;
  readonly #sql;
  #known: Known = { of: '', dead: [], isAlone: false };

  constructor(s: string, run: Run, leases: BrokerLeases) {
    this.#run = run;
    this.#leases = leases;
    this.#sql = {
      now: `SELECT ${s}.now_ms(), last FROM ${s}.clock`,
      take: taking(s, leases.upsert('EXISTS (SELECT FROM due)')),
      forget: `DELETE FROM ${s}.broker AS b WHERE ended_at IS NOT NULL AND (stopped OR ended_at <= (SELECT ${s}.now_ms()) - 600000)
        AND NOT EXISTS (SELECT FROM ${s}.claim AS c WHERE c.term = b.term) AND NOT EXISTS (SELECT FROM ${s}.job AS j WHERE j.term = b.term)`,
      note: `UPDATE ${s}.clock SET last = $1`,
      makeDue: `UPDATE ${s}.request SET next_at = $1 WHERE next_at > $1`,
      shorten: `UPDATE ${s}.broker SET lease_until = least(lease_until, $1) WHERE ended_at IS NULL`,
      counts: `SELECT c.term, coalesce(r.needs, ''), count(*) FROM ${s}.claim AS c JOIN ${s}.request AS r USING (request_id) GROUP BY 1, 2`,
      waiting: `SELECT coalesce(r.needs, ''), count(*) FROM (
          SELECT request_id, needs FROM ${s}.request WHERE next_at <= (SELECT ${s}.now_ms())
          UNION SELECT t.request_id, t.needs FROM ${s}.signal AS w JOIN ${s}.request AS t ON t.request_id = w.request_id WHERE w.applied = 0
        ) AS r LEFT JOIN ${s}.claim AS c ON c.request_id = r.request_id
        WHERE c.request_id IS NULL OR c.term IN (SELECT term FROM ${s}.broker WHERE ended_at IS NOT NULL) GROUP BY 1`,
      held: `SELECT c.request_id, c.epoch, coalesce(r.needs, ''), b.term FROM ${s}.broker AS b JOIN ${s}.claim AS c ON c.term = b.term
        JOIN ${s}.request AS r ON r.request_id = c.request_id WHERE b.broker_id = $1 AND b.thread = $2 AND b.ended_at IS NULL`,
      yield: `DELETE FROM ${s}.claim AS c USING unnest($1::text[], $2::bigint[]) AS y(request_id, epoch)
        WHERE c.request_id = y.request_id AND c.epoch = y.epoch`,
    };
  }

  async claim(broker: BrokerRecord, limit: number, lease_ms: number): Promise<readonly Claim[]> {
    const { now, take } = this.#sql;
    const of = leaseName(broker);
    const taken: Claim[] = [];
    for (;;) {
      const known = this.#known.of === of ? this.#known : { of, dead: [], isAlone: false };
      const share = known.isAlone ? everything : await this.#shareOf(broker, known.dead, lease_ms);
      if (share === 'news') continue;
      // What this broker may not have is not locked, because another one may claim it at this moment.
      const most = Math.min(limit - taken.length, share.total);
      if (most === 0) return taken;
      // One transaction: what is ended here is free in its next statement.
      const [, clock = [], running = [], , found = []] = await this.#run([
        { text: beginning },
        { text: now, values: [] },
        this.#leases.running,
        this.#leases.end(known.dead),
        { text: take, values: [...leaseValues(broker, lease_ms), most, ...share.byNeeds] },
        { text: 'COMMIT' },
      ]);
      const claims = found.filter(([id]) => id !== null);
      taken.push(...claims.map(([id, epoch, over]) => claimed(id, epoch, over)));
      const isNews = await this.#learn(broker, running, clock[0], known.dead, lease_ms);
      if (taken.length >= limit || (claims.length === found.length && !isNews)) return taken;
    }
  }

  async renew(broker: BrokerRecord, lease_ms: number): Promise<Renewal> {
    const [, , running = [], mine = []] = await this.#run([
      this.#leases.endOwn(broker),
      { text: this.#leases.upsert(), values: leaseValues(broker, lease_ms) },
      this.#leases.running,
      { text: this.#sql.held, values: [bound(broker.broker_id), broker.thread] },
    ]);
    const claims = mine.map(([id, epoch]) => ({ request_id: id as string, epoch: epoch as number }));
    const alive = running.map(lease).filter(({ runs, record }) => runs && !isDead(record, broker));
    const of = leaseName(broker);
    this.#known = { of, dead: this.#known.of === of ? this.#known.dead : [], isAlone: alive.length < 2 };
    const live = liveRecords(alive.map(({ record }) => record));
    const term = mine[0]?.[3] as number | undefined;
    if (term === undefined || alive.length < 2) return { claims, surplus: [], live };
    const [counts = []] = await this.#run([{ text: this.#sql.counts, values: [] }]);
    const named = mine.map(([id, , needs]) => ({ request_id: id as string, needs: needs as string }));
    return { claims, surplus: surplusOf(term, alive, counts.map(heldCount), named), live };
  }

  async yield(claims: readonly Held[]): Promise<void> {
    if (claims.length === 0) return;
    const ids = claims.map(({ request_id }) => bound(request_id));
    await this.#run([{ text: this.#sql.yield, values: [ids, claims.map(({ epoch }) => epoch)] }]);
  }

  /** What a broker may claim beside the other live brokers. `news`: something changed, and this is to be repeated. */
  async #shareOf(broker: BrokerRecord, dead: readonly number[], lease_ms: number): Promise<Share | 'news'> {
    const [clock = [], running = [], , waiting = []] = await this.#run([
      { text: this.#sql.now, values: [] },
      this.#leases.running,
      this.#leases.end(dead),
      { text: this.#sql.waiting, values: [] },
    ]);
    if (await this.#learn(broker, running, clock[0], dead, lease_ms)) return 'news';
    const all = running.map(lease);
    const own = all.find(({ record }) => leaseName(record) === leaseName(broker))?.by ?? 0;
    const others = all.filter(({ by, runs }) => by !== own && runs && !dead.includes(by));
    if (others.length === 0) return everything;
    if (waiting.length === 0) return { byNeeds: [[], []], total: 0 };
    const [counts = []] = await this.#run([{ text: this.#sql.counts, values: [] }]);
    const free = waiting.map(([needs, count]) => ({ needs: needs as string, count: Number(count) }));
    const most = claimable(own, [...others, { by: own, record: broker }], counts.map(heldCount), free);
    const numbers = [...most.values()];
    return { byNeeds: [[...most.keys()], numbers], total: numbers.reduce((sum, each) => sum + each, 0) };
  }

  /** Remembers which brokers live. Returns whether one was found dead, or the clock was set back. */
  async #learn(
    broker: BrokerRecord,
    running: readonly Row[],
    clock: Row | undefined,
    known: readonly number[],
    lease_ms: number,
  ): Promise<boolean> {
    const of = leaseName(broker);
    const others = running.map(lease).filter(({ record }) => leaseName(record) !== of);
    const dead = others.filter(({ record }) => isDead(record, broker)).map(({ by }) => by);
    this.#known = { of, dead, isAlone: others.every(({ by, runs }) => !runs || dead.includes(by)) };
    const wasSetBack = await this.#note(clock, lease_ms);
    return wasSetBack || dead.some((term) => !known.includes(term));
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
        { text: beginning },
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

const leaseName = ({ broker_id, thread }: BrokerRecord): string => `${broker_id} ${thread}`;

const lease = ([term, doc, runs]: Row): LiveBroker<number> & {
  readonly record: BrokerRecord;
  readonly runs: boolean;
} => ({
  by: term as number,
  record: JSON.parse(doc as string) as BrokerRecord,
  runs: runs === true,
});

const heldCount = ([by, needs, count]: Row): HeldCount<number> => ({
  by: by as number,
  needs: needs as string,
  count: Number(count),
});
