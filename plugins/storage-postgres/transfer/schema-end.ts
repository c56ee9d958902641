import {
  BrokerError,
  brokerStates,
  quoted,
  shapes,
  silentLog,
  type BrokerRecord,
  type StorageCheck,
  type StorageSnapshot,
  type TransferEnd,
  type TransferMark,
  type TransferState,
} from '../../../core/index.ts';
import { beginning } from '../database/beginning.ts';
import { lockNumber } from '../database/locks.ts';
import { targetOf, type Target } from '../connections/client-config.ts';
import { Connection } from '../connections/connection.ts';
import type { Row, Statement } from '../connections/statement.ts';
import { refusal } from '../database/failures.ts';
import { migrate } from '../database/migrate.ts';
import { schemaVersion } from '../database/schema-version.ts';
import { newest } from '../migrations/index.ts';
import type { PostgresOptions } from '../options.ts';
import { checkDatabase } from '../upkeep/check-database.ts';
import { guarded, markDone, marking, marksOf, unblocking, unmark } from './marks.ts';
import { SchemaSnapshot } from './schema-snapshot.ts';
import { writeSnapshot } from './write-snapshot.ts';

type Given = Pick<TransferMark, 'copy_id' | 'place'>;
type Run = (statements: readonly Statement[]) => Promise<readonly (readonly Row[])[]>;

/** The longest statement, and the longest pause between two. */
const maxMs = 600_000;
/** The longest wait for the transactions of others. */
const lockMs = 30_000;

/** A schema as the source or the target of a copy. */
export class SchemaEnd implements TransferEnd {
  readonly place: string;
  readonly #options: PostgresOptions;
  readonly #target: Target;

  private constructor(options: PostgresOptions, target: Target) {
    this.#options = options;
    this.#target = target;
    this.place = target.place;
  }

  static async of(options: PostgresOptions): Promise<SchemaEnd> {
    return new SchemaEnd(options, await targetOf(options));
  }

  state(): Promise<TransferState> {
    return this.#connected(async (run) => {
      const version = await schemaVersion(run, this.#options.schema, this.place);
      if (version === 0) return { exists: false, records: 0, brokers: [] };
      this.#refuseOtherVersion(version);
      return this.#state(run);
    });
  }

  async snapshot(): Promise<StorageSnapshot> {
    const connection = await this.#open();
    try {
      this.#refuseOtherVersion(await schemaVersion(connection.run.bind(connection), this.#options.schema, this.place));
      return await SchemaSnapshot.begin(connection, this.#options.schema, maxMs);
    } catch (error) {
      connection.destroy();
      throw refusal(error, this.place);
    }
  }

  fence(given: Given): Promise<void> {
    return this.#transaction(async (run) => {
      const { to } = await marksOf(run, this.#options.schema);
      if (to?.copy_id !== given.copy_id) await run(marking(quoted(this.#options.schema), 'to', given));
    });
  }

  unfence(copy_id?: string): Promise<void> {
    return this.#transaction((run) => unmark(run, this.#options.schema, copy_id));
  }

  moved(copy_id: string): Promise<void> {
    return this.#transaction((run) => markDone(run, this.#options.schema, 'to', copy_id));
  }

  complete(copy_id: string): Promise<void> {
    return this.#transaction((run) => markDone(run, this.#options.schema, 'from', copy_id));
  }

  async receive(snapshot: StorageSnapshot, given: Given | undefined, replace: boolean): Promise<StorageCheck> {
    const { schema } = this.#options;
    const s = quoted(schema);
    await migrate(this.#target, schema, silentLog).catch((error: unknown) => {
      throw refusal(error, this.place);
    });
    await this.#transaction(async (run) => {
      // From here on no broker joins or writes.
      await run([
        { text: `LOCK TABLE ${guarded.map((table) => `${s}.${quoted(table)}`)} IN ACCESS EXCLUSIVE MODE` },
        ...unblocking(s),
      ]);
      const { records, brokers, from } = await this.#state(run);
      // Another run of the same copy may have come further while this one was suspended.
      const isReceived = given !== undefined && from?.copy_id === given.copy_id;
      if (isReceived || brokers.some(({ status }) => status !== 'dead') || (records > 0 && !replace))
        throw new BrokerError('CONFLICT', `${this.place} came into use meanwhile. Nothing was changed there.`);
      await writeSnapshot(run, s, snapshot);
      // What an earlier copy stored does not count for the new content.
      const [[present] = []] = await run([{ text: 'SELECT to_regclass($1)::text', values: [`${s}.transfer`] }]);
      if (present?.[0]) await run([{ text: `DELETE FROM ${s}.transfer` }]);
      if (given) await run(marking(s, 'from', given));
    });
    return checkDatabase(this.#options);
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  async #state(run: Run): Promise<TransferState> {
    const { schema } = this.#options;
    const s = quoted(schema);
    const marks = await marksOf(run, schema);
    const counts = Object.values(shapes).map(({ kind }) => `(SELECT count(*) FROM ${s}.${quoted(kind)})`);
    const [[count = []] = [], leases = []] = await run([
      { text: `SELECT ${counts.join(' + ')}` },
      { text: `SELECT doc, lease_until, ended_at, ${s}.now_ms() FROM ${s}.broker WHERE NOT stopped ORDER BY term` },
    ]);
    const stored = leases.map(([doc, until, ended]) => ({
      record: JSON.parse(doc as string) as BrokerRecord,
      lease_until: until as number,
      ended_at: ended as number | null,
      holds: 0,
    }));
    const now = Number(leases[0]?.[3] ?? 0);
    return { exists: true, records: Number(count[0]), ...marks, brokers: brokerStates(stored, now) };
  }

  #transaction(act: (run: Run) => Promise<void>): Promise<void> {
    return this.#connected(async (run) => {
      await run([
        { text: beginning },
        {
          text: `SELECT set_config('statement_timeout', '${maxMs}', true), set_config('lock_timeout', '${lockMs}', true),
            set_config('idle_in_transaction_session_timeout', '${maxMs}', true)`,
        },
        // Marks are read and then written: one run at a time.
        {
          text: 'SELECT pg_advisory_xact_lock($1::bigint)',
          values: [lockNumber(this.#options.schema, 'transfer')],
        },
      ]);
      await act(run);
      await run([{ text: 'COMMIT' }]);
    });
  }

  /** The end of the connection undoes what was not committed. */
  async #connected<T>(act: (run: Run) => Promise<T>): Promise<T> {
    const connection = await this.#open();
    try {
      return await act(connection.run.bind(connection));
    } catch (error) {
      throw refusal(error, this.place);
    } finally {
      connection.destroy();
    }
  }

  #open(): Promise<Connection> {
    return Connection.open(this.#target.config, { silentMs: maxMs });
  }

  #refuseOtherVersion(version: number): void {
    if (version === newest) return;
    throw new BrokerError(
      'INVALID_CONFIGURATION',
      version < newest
        ? `The tables of the database ${this.place} have version ${version}, a copy needs ${newest}. Run \`muster storage migrate\` first.`
        : `The tables of the database ${this.place} have version ${version}, this muster copies ${newest}. Install the newer muster.`,
    );
  }
}
