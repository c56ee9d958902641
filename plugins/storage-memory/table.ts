import { BrokerError, type Kind, kinds, type Query } from '../../core/index.ts';
import { compare, matches } from './matches.ts';

/** A record inside the store. It is never handed out, so that no caller can change it. */
export type Kept = { readonly [field: string]: unknown };

/** The records of one kind. Each change returns the function that undoes it. */
export class Table {
  readonly kind: Kind;
  readonly #key: readonly string[];
  readonly #columns: ReadonlySet<string>;
  readonly #records = new Map<string, Kept>();

  constructor(kind: Kind) {
    this.kind = kind;
    this.#key = kinds[kind].key;
    this.#columns = new Set([...kinds[kind].key, ...kinds[kind].columns]);
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
    return [...this.#records.values()]
      .filter((record) => matches(record, where))
      .toSorted((a, b) => compare(a, b, full))
      .slice(offset, offset + limit);
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
