import DataLoader from 'dataloader';
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
  type SqlDialect,
} from '../../../core/index.ts';
import type { Row, Statement, Value } from '../connections/statement.ts';
import { decode, selected } from './decode.ts';
import { bound, postgresDialect } from './dialect.ts';

/** The columns by which the counters of a kind are kept. */
const counterColumns: { readonly [K in Kind]?: { readonly [column: string]: string } } = {
  request: { kind: 'sort', status: 'status' },
  machine: { status: 'status' },
};

/** The most requests that one question for versions names. */
const mostAtOnce = 500;

interface RequestVersion {
  readonly request_id: string;
  readonly version: number;
}

/** Answers queries from committed records. */
export class RecordReader {
  readonly #schema: string;
  readonly #dialect: SqlDialect<Value>;
  readonly #ask: (statement: Statement) => Promise<readonly Row[]>;

  /** The requests that callers poll: the questions of one turn of the event loop are one statement. */
  readonly #version: DataLoader<string, RequestVersion | undefined>;

  /** `ask` runs one statement. */
  constructor(schema: string, ask: (statement: Statement) => Promise<readonly Row[]>) {
    this.#schema = schema;
    this.#dialect = postgresDialect(schema);
    this.#ask = ask;
    this.#version = new DataLoader((ids) => this.#versionsOf(ids), {
      cache: false,
      maxBatchSize: mostAtOnce,
      batchScheduleFn: (ask) => void setImmediate(ask),
    });
  }

  async get<K extends Kind>(kind: K, key: KeyOf<K>): Promise<Records[K] | undefined> {
    const shape = shapes[kind];
    const match = shape.key.map((field, i) => `${quoted(field)} = $${i + 1}`).join(' AND ');
    const [found] = await this.#ask({
      text: `SELECT ${selected(shape)} FROM ${this.#dialect.table(kind)} WHERE ${match}`,
      values: columnValues(key, shape.key).map(bound),
    });
    return found && decode(shape, found);
  }

  async find<K extends Kind>(kind: K, query: Query<K>): Promise<readonly Records[K][]> {
    const shape = shapes[kind];
    const found = await this.#select(selected(shape), kind, query);
    return found.map((each) => decode<K>(shape, each));
  }

  async versions(query: Query<'request'>): Promise<readonly RequestVersion[]> {
    const one = onlyRequestId(query);
    if (one !== undefined) {
      const known = await this.#version.load(one);
      return known ? [known] : [];
    }
    const found = await this.#select('request_id, version', 'request', query);
    return found.map(([id, version]) => ({ request_id: id as string, version: version as number }));
  }

  async sizes(
    request_ids: readonly string[],
  ): Promise<readonly { readonly request_id: string; readonly bytes: number }[]> {
    const found = await this.#select('request_id, octet_length(doc)', 'request', {
      where: { request_id: request_ids },
    });
    return found.map(([id, bytes]) => ({ request_id: id as string, bytes: bytes as number }));
  }

  async count<K extends Kind>(kind: K, where: NonNullable<Query<K>['where']>): Promise<number> {
    const { sql, values } = countQuery(this.#dialect, kind, where);
    const [found] = await this.#ask(this.#fromCounters(kind, where) ?? { text: sql, values });
    return Number(found?.[0]);
  }

  async #versionsOf(ids: readonly string[]): Promise<readonly (RequestVersion | undefined)[]> {
    const found = await this.versions({ where: { request_id: [...new Set(ids)] } });
    const byId = new Map(found.map((each) => [each.request_id, each]));
    return ids.map((id) => byId.get(id));
  }

  async #select<K extends Kind>(columns: string, kind: K, query: Query<K>): Promise<readonly Row[]> {
    const { sql, values } = selectQuery(this.#dialect, columns, kind, query);
    return this.#ask({ text: sql, values });
  }

  /** The query of the counters, when they contain the answer: they exist for the values of some columns. */
  #fromCounters(kind: Kind, where: object): Statement | undefined {
    const columns = counterColumns[kind];
    const entries = Object.entries(where);
    if (!columns || !entries.every(([field, match]) => columns[field] && typeof match === 'string')) return undefined;
    const match = entries.map(([field], i) => ` AND ${quoted(columns[field] ?? field)} = $${i + 2}`).join('');
    return {
      text: `SELECT coalesce(sum(n), 0) FROM ${this.#schema}.counter WHERE of = $1${match}`,
      values: [kind, ...entries.map(([, value]) => bound(value as string))],
    };
  }
}
