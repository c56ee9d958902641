import {
  kinds,
  quoted,
  shapes,
  type Kind,
  type StorageNumbers,
  type StorageSnapshot,
  type StoredEpoch,
  type StoredRecord,
} from '../../../core/index.ts';
import type { Connection } from '../connections/connection.ts';
import type { Row } from '../connections/statement.ts';

/** About the size of a page, in characters. */
const pageSize = 1_000_000;
const maxRows = 500;

/**
 * Everything in a schema at one moment, in a read-only transaction on a connection of its own, which it closes. It
 * blocks no broker.
 */
export class SchemaSnapshot implements StorageSnapshot {
  readonly #connection: Connection;
  readonly #schema: string;
  readonly numbers: StorageNumbers;

  private constructor(connection: Connection, schema: string, numbers: StorageNumbers) {
    this.#connection = connection;
    this.#schema = schema;
    this.numbers = numbers;
  }

  /** `maxMs`: the longest statement, and the longest pause of the reader. */
  static async begin(connection: Connection, schema: string, maxMs: number): Promise<SchemaSnapshot> {
    const s = quoted(schema);
    const names = Object.keys(kinds) as Kind[];
    const [, , numbers = [], clock = []] = await connection.run([
      { text: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' },
      {
        text: `SELECT set_config('statement_timeout', '${maxMs}', true), set_config('idle_in_transaction_session_timeout', '${maxMs}', true)`,
      },
      { text: `SELECT seq, ${names.map(quoted).join(', ')} FROM ${s}.state` },
      { text: `SELECT last FROM ${s}.clock` },
    ]);
    const [event, ...changes] = (numbers[0] ?? []) as readonly number[];
    return new SchemaSnapshot(connection, s, {
      event: event ?? 0,
      changes: Object.fromEntries(names.map((kind, i) => [kind, changes[i] ?? 0])) as Record<Kind, number>,
      last_claim_at: (clock[0]?.[0] as number | null | undefined) ?? null,
    });
  }

  async *records(kind: Kind): AsyncIterable<readonly StoredRecord[]> {
    const { key, maintained } = shapes[kind];
    const columns = ['doc', ...maintained, ...(kind === 'request' ? ['next_at'] : [])].map(quoted).join(', ');
    const order = key.map(quoted).join(', ');
    const pages = this.#pages(`SELECT ${columns} FROM ${this.#schema}.${quoted(kind)} ORDER BY ${order}`);
    for await (const page of pages)
      yield kind === 'request' ? page.map(withNextAt) : (page as readonly (readonly unknown[])[] as StoredRecord[]);
  }

  epochs(of: 'claim' | 'job'): AsyncIterable<readonly StoredEpoch[]> {
    const id = of === 'claim' ? 'request_id' : 'job';
    return this.#pages(`SELECT ${id}, epoch FROM ${this.#schema}.${of} ORDER BY ${id}`) as AsyncIterable<
      readonly StoredEpoch[]
    >;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection.close();
  }

  /** Pages get as many rows as the size of the last one allows. */
  async *#pages(sql: string): AsyncIterable<readonly Row[]> {
    await this.#connection.run([{ text: `DECLARE rows NO SCROLL CURSOR FOR ${sql}` }]);
    let count = 50;
    for (;;) {
      const [page = []] = await this.#connection.run([{ text: `FETCH ${count} FROM rows` }]);
      if (page.length > 0) yield page;
      if (page.length < count) break;
      const size = page.reduce((sum, [text]) => sum + (text as string).length, 0);
      count = Math.max(1, Math.min(maxRows, Math.floor((pageSize * page.length) / (size + 1))));
    }
    await this.#connection.run([{ text: 'CLOSE rows' }]);
  }
}

/** The column decides when a request is due; the document follows only with the next commit. */
function withNextAt([doc, version, epoch, next_at]: Row): StoredRecord {
  const text = doc as string;
  const record = JSON.parse(text) as { next_at?: number | null };
  const stored =
    (record.next_at ?? null) === next_at ? text : JSON.stringify({ ...record, next_at: next_at ?? undefined });
  return [stored, version as number, epoch as number];
}
