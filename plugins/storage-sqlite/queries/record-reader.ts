import type { SQLInputValue, StatementSync } from 'node:sqlite';
import {
  columnValues,
  countQuery,
  onlyRequestId,
  quoted,
  selectQuery,
  shapes,
  type Kind,
  type KeyOf,
  type Query,
  type Records,
  type SelectQuery,
} from '../../../core/index.ts';
import { decode, selected } from './decode.ts';
import { sqliteDialect } from './dialect.ts';
import { row, rows, type Row, type Statements } from './statements.ts';

/** The columns by which the counters of a kind are kept. */
const counterColumns: { readonly [K in Kind]?: { readonly [column: string]: string } } = {
  request: { kind: 'sort', status: 'status' },
  machine: { status: 'status' },
};

/** Answers queries from committed records. */
export class RecordReader {
  readonly #statements: Statements;
  readonly #get: { readonly [K in Kind]: StatementSync };
  readonly #version: StatementSync;

  constructor(statements: Statements) {
    this.#statements = statements;
    this.#version = statements.prepare('SELECT request_id, version FROM request WHERE request_id = ?');
    this.#get = Object.fromEntries(
      Object.entries(shapes).map(([kind, shape]) => {
        const match = shape.key.map((field) => `${quoted(field)} = ?`).join(' AND ');
        return [kind, statements.prepare(`SELECT ${selected(shape)} FROM ${quoted(kind)} WHERE ${match}`)];
      }),
    ) as unknown as { readonly [K in Kind]: StatementSync };
  }

  get<K extends Kind>(kind: K, key: KeyOf<K>): Records[K] | undefined {
    const shape = shapes[kind];
    const found = row(this.#get[kind], columnValues(key, shape.key));
    return found && decode(shape, found);
  }

  find<K extends Kind>(kind: K, query: Query<K>): readonly Records[K][] {
    const shape = shapes[kind];
    return this.#ask(selectQuery(sqliteDialect, selected(shape), kind, query)).map((found) => decode<K>(shape, found));
  }

  versions(query: Query<'request'>): readonly { readonly request_id: string; readonly version: number }[] {
    const one = onlyRequestId(query);
    // Callers poll one request often: its statement is prepared once.
    const found =
      one === undefined
        ? this.#ask(selectQuery(sqliteDialect, 'request_id, version', 'request', query))
        : rows(this.#version, [one]);
    return found.map(([id, version]) => ({
      request_id: id as string,
      version: version as number,
    }));
  }

  sizes(request_ids: readonly string[]): readonly { readonly request_id: string; readonly bytes: number }[] {
    // SQLite reads the length from the head of the row, without the document.
    return this.#ask(
      selectQuery(sqliteDialect, 'request_id, octet_length(doc)', 'request', { where: { request_id: request_ids } }),
    ).map(([id, bytes]) => ({
      request_id: id as string,
      bytes: bytes as number,
    }));
  }

  count<K extends Kind>(kind: K, where: NonNullable<Query<K>['where']>): number {
    return Number(this.#ask(fromCounters(kind, where) ?? countQuery(sqliteDialect, kind, where))[0]?.[0]);
  }

  #ask({ sql, values }: SelectQuery<SQLInputValue>): readonly Row[] {
    return this.#statements.all(sql, values);
  }
}

/** The query of the counters, when they contain the answer: they exist for the values of some columns. */
function fromCounters(kind: Kind, where: object): SelectQuery<SQLInputValue> | undefined {
  const columns = counterColumns[kind];
  const entries = Object.entries(where);
  if (!columns || !entries.every(([field, match]) => columns[field] && typeof match === 'string')) return undefined;
  const match = entries.map(([field]) => ` AND ${quoted(columns[field] ?? field)} = ?`).join('');
  return {
    sql: `SELECT coalesce(sum(n), 0) FROM counter WHERE of = ?${match}`,
    values: [kind, ...entries.map(([, value]) => value)],
  };
}
