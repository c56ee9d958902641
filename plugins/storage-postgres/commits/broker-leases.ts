import { brokerStates, type BrokerRecord, type BrokerState, type JobLease } from '../../../core/index.ts';
import { beginning } from '../database/beginning.ts';
import type { Row, Statement, Value } from '../connections/statement.ts';
import { bound } from '../queries/dialect.ts';

type Run = (statements: readonly Statement[]) => Promise<readonly (readonly Row[])[]>;

/** The values of `BrokerLeases.upsert`. */
export const leaseValues = (broker: BrokerRecord, lease_ms: number): Value[] => [
  bound(broker.broker_id),
  broker.thread,
  lease_ms,
  JSON.stringify(broker),
];

/** The leases of brokers and of jobs: the statements behind `Store.leave`, `brokers`, `job` and `freeJob`. */
export class BrokerLeases {
  readonly #schema: string;
  readonly #run: Run;
  readonly #sql;

  constructor(s: string, run: Run) {
    this.#schema = s;
    this.#run = run;
    const own = 'broker_id = $1 AND thread = $2 AND ended_at IS NULL';
    this.#sql = {
      running: `SELECT term, doc, lease_until > ${s}.now_ms() FROM ${s}.broker WHERE ended_at IS NULL`,
      end: `UPDATE ${s}.broker SET ended_at = ${s}.now_ms()
        WHERE ended_at IS NULL AND (lease_until <= (SELECT ${s}.now_ms()) OR term = ANY($1::bigint[]))`,
      endOwn: `UPDATE ${s}.broker SET ended_at = ${s}.now_ms() WHERE ${own} AND lease_until <= ${s}.now_ms()`,
      freeJobs: `UPDATE ${s}.job SET term = NULL WHERE term IN (SELECT term FROM ${s}.broker WHERE broker_id = $1)`,
      stop: `UPDATE ${s}.broker SET ended_at = coalesce(ended_at, ${s}.now_ms()), stopped = true WHERE broker_id = $1`,
      all: `SELECT b.doc, b.lease_until, b.ended_at, (SELECT count(*) FROM ${s}.claim AS c WHERE c.term = b.term), ${s}.now_ms()
        FROM ${s}.broker AS b WHERE NOT b.stopped ORDER BY b.term`,
      ownJob: `SELECT j.epoch FROM ${s}.job AS j JOIN ${s}.broker AS b ON b.term = j.term
        WHERE j.job = $3 AND b.broker_id = $1 AND b.thread = $2 AND b.ended_at IS NULL AND b.lease_until > ${s}.now_ms()`,
      // A job whose broker is unknown to this statement was given a moment ago: only an ended lease makes it free.
      takeJob: `INSERT INTO ${s}.job AS j (job, epoch, term) SELECT $3, 1, term FROM ${s}.broker WHERE ${own}
        ON CONFLICT (job) DO UPDATE SET epoch = j.epoch + 1, term = excluded.term
          WHERE j.term IS NULL OR EXISTS (SELECT FROM ${s}.broker AS b WHERE b.term = j.term AND b.ended_at IS NOT NULL)
        RETURNING epoch`,
      freeJob: `UPDATE ${s}.job SET term = NULL WHERE job = $1 AND epoch = $2`,
    };
  }

  /** The leases that were not found to have ended: their number, their record, and whether they still run. */
  get running(): Statement {
    return { text: this.#sql.running, values: [] };
  }

  /** Renews the lease of a broker, or begins one, and returns its number. Values: `leaseValues`. */
  upsert(condition = 'true'): string {
    const s = this.#schema;
    return `INSERT INTO ${s}.broker AS b (broker_id, thread, lease_until, doc)
      SELECT $1::text, $2::bigint, ${s}.now_ms() + $3::bigint, $4::text WHERE ${condition}
      ON CONFLICT (broker_id, thread) WHERE ended_at IS NULL
        DO UPDATE SET lease_until = greatest(b.lease_until, excluded.lease_until), doc = excluded.doc
      RETURNING term`;
  }

  /** Ends leases that ran out, and those of brokers that are known to be dead. */
  end(dead: readonly number[]): Statement {
    return { text: this.#sql.end, values: [dead] };
  }

  /** Ends the lease of a broker when it ran out: it is not renewed. */
  endOwn({ broker_id, thread }: BrokerRecord): Statement {
    return { text: this.#sql.endOwn, values: [bound(broker_id), thread] };
  }

  /** Also ends earlier leases of the broker, which is listed no longer. */
  async leave({ broker_id }: BrokerRecord): Promise<void> {
    const values = [bound(broker_id)];
    const { freeJobs, stop } = this.#sql;
    await this.#run([{ text: beginning }, { text: freeJobs, values }, { text: stop, values }, { text: 'COMMIT' }]);
  }

  async brokers(): Promise<readonly BrokerState[]> {
    const [found = []] = await this.#run([{ text: this.#sql.all, values: [] }]);
    const stored = found.map(([doc, until, ended, holds]) => ({
      record: JSON.parse(doc as string) as BrokerRecord,
      lease_until: Number(until),
      ended_at: ended as number | null,
      holds: Number(holds),
    }));
    return brokerStates(stored, Number(found[0]?.[4] ?? 0));
  }

  async job(broker: BrokerRecord, job: string, lease_ms: number): Promise<JobLease | undefined> {
    const values = [bound(broker.broker_id), broker.thread, bound(job)];
    const [own = []] = await this.#run([{ text: this.#sql.ownJob, values }]);
    if (own[0]) return { job, epoch: own[0][0] as number };
    const [, , , taken = []] = await this.#run([
      { text: beginning },
      this.end([]),
      { text: this.upsert(), values: leaseValues(broker, lease_ms) },
      { text: this.#sql.takeJob, values },
      { text: 'COMMIT' },
    ]);
    return taken[0] && { job, epoch: taken[0][0] as number };
  }

  async freeJob({ job, epoch }: JobLease): Promise<void> {
    await this.#run([{ text: this.#sql.freeJob, values: [bound(job), epoch] }]);
  }
}
