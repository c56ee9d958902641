import type { DatabaseSync } from 'node:sqlite';
import {
  kinds,
  pagesOf,
  quoted,
  shapes,
  type Kind,
  type StorageNumbers,
  type StorageSnapshot,
  type StoredEpoch,
  type StoredRecord,
} from '../../../core/index.ts';
import { selected } from '../queries/decode.ts';

const epochs = {
  claim: 'SELECT request_id, epoch FROM claim ORDER BY request_id',
  job: 'SELECT job, epoch FROM job ORDER BY job',
};

/** Everything in a database at one moment, from a connection of its own, which it closes. */
export class FileSnapshot implements StorageSnapshot {
  readonly #database: DatabaseSync;
  readonly numbers: StorageNumbers;

  /** Begins a read transaction. */
  constructor(database: DatabaseSync) {
    this.#database = database;
    database.exec('BEGIN');
    this.numbers = numbersOf(database);
  }

  records(kind: Kind): AsyncIterable<readonly StoredRecord[]> {
    const shape = shapes[kind];
    return this.#pages<StoredRecord>(
      `SELECT ${selected(shape)} FROM ${quoted(kind)} ORDER BY ${shape.key.map(quoted).join(', ')}`,
    );
  }

  epochs(of: 'claim' | 'job'): AsyncIterable<readonly StoredEpoch[]> {
    return this.#pages<StoredEpoch>(epochs[of]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#database.close();
  }

  async *#pages<Row extends readonly [string, ...unknown[]]>(sql: string): AsyncIterable<readonly Row[]> {
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    yield* pagesOf(statement.iterate() as unknown as Iterable<Row>);
  }
}

function numbersOf(database: DatabaseSync): StorageNumbers {
  const number = (sql: string) => database.prepare(sql).get()?.['n'] as number | undefined;
  const marks = database.prepare('SELECT kind, changes FROM mark').all();
  const changes = new Map(marks.map(({ kind, changes: count }) => [kind, count as number]));
  return {
    event: number("SELECT seq AS n FROM sqlite_sequence WHERE name = 'event'") ?? 0,
    changes: Object.fromEntries(Object.keys(kinds).map((kind) => [kind, changes.get(kind) ?? 0])) as Record<
      Kind,
      number
    >,
    last_claim_at: number("SELECT n FROM counter WHERE of = 'clock'") ?? null,
  };
}
