import { BrokerError, type Kind, kinds, type Query } from '../../core/index.ts';
import { ColumnIndex } from './column-index.ts';
import { compare } from './compare.ts';
import { condition } from './condition.ts';
import type { Kept } from './kept.ts';

/** The records of one kind. Each change returns the function that undoes it. */
export class Table {
  readonly kind: Kind;
  readonly #key: readonly string[];
  readonly #columns: ReadonlySet<string>;
  /** The columns by which queries find records without reading all. */
  readonly #indexed: ReadonlySet<string>;
  /** An index is made by the first query that uses it. */
  readonly #indexes = new Map<string, ColumnIndex>();
  readonly #records = new Map<string, Kept>();

  constructor(kind: Kind) {
    this.kind = kind;
    this.#key = kinds[kind].key;
    this.#columns = new Set([...kinds[kind].key, ...kinds[kind].columns]);
    this.#indexed = new Set([kinds[kind].key, ...kinds[kind].indexes].map(([first = '']) => first));
  }

  get(key: object): Kept | undefined {
    return this.#records.get(this.#id(key));
  }

  all(): IteratorObject<Kept> {
    return this.#records.values();
  }

  set(record: Kept): () => void {
    return this.#replace(this.#id(record), record);
  }

  delete(key: object): () => void {
    return this.#replace(this.#id(key), undefined);
  }

  find(query: Query<Kind>): readonly Kept[] {
    const { where = {}, order = [], limit = Number.POSITIVE_INFINITY, offset = 0 } = query as UntypedQuery;
    this.#check({ where, order, limit, offset });
    const last = order.at(-1)?.[1] ?? 'asc';
    const full = [...order, ...this.#key.map((field) => [field, last] as const)];
    return [...this.#candidates(where)]
      .filter(condition(where))
      .toSorted((a, b) => compare(a, b, full))
      .slice(offset, offset + limit);
  }

  /** The records that the most selective index leaves, or all. */
  #candidates(where: UntypedQuery['where'] = {}): Iterable<Kept> {
    let best: { readonly index: ColumnIndex; readonly values: readonly unknown[]; readonly count: number } | undefined;
    for (const [column, match] of Object.entries(where)) {
      const values = Array.isArray(match) ? match : [match];
      if (!this.#indexed.has(column) || values.some((value) => typeof value === 'object' && value !== null)) continue;
      const index = this.#index(column);
      const count = index.count(values);
      if (!best || count < best.count) best = { index, values, count };
    }
    return best ? best.index.with(best.values) : this.#records.values();
  }

  #index(column: string): ColumnIndex {
    const index = this.#indexes.get(column) ?? new ColumnIndex(column, this.#records);
    this.#indexes.set(column, index);
    return index;
  }

  #id(key: object): string {
    return this.#key.map((field) => JSON.stringify((key as Kept)[field])).join(' ');
  }

  #replace(id: string, next: Kept | undefined): () => void {
    const before = this.#records.get(id);
    this.#store(id, next);
    return () => this.#store(id, before);
  }

  #store(id: string, record: Kept | undefined): void {
    for (const index of this.#indexes.values()) index.replace(id, this.#records.get(id), record);
    if (record) this.#records.set(id, record);
    else this.#records.delete(id);
  }

  #check({ where, order, limit, offset }: Required<UntypedQuery>): void {
    const unknown = [...Object.keys(where), ...order.map(([field]) => field)].find(
      (field) => !this.#columns.has(field),
    );
    if (unknown !== undefined) throw misuse(`'${unknown}' of '${this.kind}' has no column: queries cannot use it.`);
    const undefinedField = Object.keys(where).find((field) => where[field] === undefined);
    if (undefinedField !== undefined)
      throw misuse(
        `The query compares '${undefinedField}' with undefined. Use null for an absent value, and omit the field for no condition.`,
      );
    const invalidBound = [limit, offset].find(
      (bound) => bound !== Number.POSITIVE_INFINITY && !(Number.isSafeInteger(bound) && bound >= 0),
    );
    if (invalidBound !== undefined)
      throw misuse(`The limit and offset of a query must be integers from 0, not ${invalidBound}.`);
  }
}

const misuse = (message: string) => new BrokerError('INTERNAL', message);

/** A query without its types by kind. */
interface UntypedQuery {
  readonly where?: { readonly [field: string]: unknown };
  readonly order?: readonly (readonly [string, 'asc' | 'desc'])[];
  readonly limit?: number;
  readonly offset?: number;
}
