import { refusals } from '../contract/commits/refusals.ts';
import type { Match, Query } from '../contract/storage.ts';
import type { Kind } from '../model/kinds.ts';
import { columnValue, shapes, type ColumnValue, type Shape } from './shapes.ts';

/** SQL text that depends only on the shape of the query, so that its statement can be reused, and the bound values. */
export interface SelectQuery<Value> {
  readonly sql: string;
  readonly values: readonly Value[];
}

/** Binds a value and returns its placeholder. */
export type Bind<Value> = (value: Value) => string;

/** How a database writes the parts of a query that differ between databases. */
export interface SqlDialect<Value> {
  /** The placeholder of the value at a position, from 1. */
  placeholder(position: number): string;
  /** The name of the table of a kind. */
  table(kind: Kind): string;
  /** The condition that a column has one of the values. */
  anyOf(column: string, values: readonly ColumnValue[], bind: Bind<Value>): string;
  /** The bound value of a column. */
  value(value: ColumnValue): Value;
  /** One term of ORDER BY. Ascending, absent values come first; descending, last. */
  ordered(column: string, direction: 'asc' | 'desc'): string;
  /** The limit that means no limit. */
  readonly noLimit: string;
}

/** Selects columns of one kind. */
export function selectQuery<K extends Kind, Value>(
  dialect: SqlDialect<Value>,
  columns: string,
  kind: K,
  { where, order, limit, offset }: Query<K>,
): SelectQuery<Value> {
  const shape = shapes[kind];
  const { values, bind } = binding(dialect);
  let sql = `SELECT ${columns} FROM ${dialect.table(kind)}${conditions(dialect, shape, where, bind)}`;
  sql += ordering(dialect, shape, order);
  if (limit !== undefined || offset !== undefined) {
    const most = limit === undefined ? dialect.noLimit : bind(dialect.value(bound(limit)));
    sql += ` LIMIT ${most} OFFSET ${bind(dialect.value(bound(offset ?? 0)))}`;
  }
  return { sql, values };
}

/** Counts the records that match. */
export function countQuery<K extends Kind, Value>(
  dialect: SqlDialect<Value>,
  kind: K,
  where: NonNullable<Query<K>['where']>,
): SelectQuery<Value> {
  const { values, bind } = binding(dialect);
  return {
    sql: `SELECT count(*) FROM ${dialect.table(kind)}${conditions(dialect, shapes[kind], where, bind)}`,
    values,
  };
}

function binding<Value>(dialect: SqlDialect<Value>): { readonly values: Value[]; readonly bind: Bind<Value> } {
  const values: Value[] = [];
  return { values, bind: (value) => dialect.placeholder(values.push(value)) };
}

function conditions<Value>(dialect: SqlDialect<Value>, shape: Shape, where: object = {}, bind: Bind<Value>): string {
  const all = Object.entries(where as Record<string, Match>).flatMap(([field, match]) =>
    condition(dialect, column(shape, field), field, match, bind),
  );
  return all.length > 0 ? ` WHERE ${all.join(' AND ')}` : '';
}

function condition<Value>(
  dialect: SqlDialect<Value>,
  name: string,
  field: string,
  match: Match | undefined,
  bind: Bind<Value>,
): string | string[] {
  if (match === undefined)
    throw refusals.misuse(
      `The query compares '${field}' with undefined. Use null for an absent value, and omit the field for no condition.`,
    );
  if (match === null) return `${name} IS NULL`;
  if (Array.isArray(match)) {
    const given = match.filter((each) => each !== null).map((each) => columnValue(each, field));
    const absent = given.length < match.length ? ` OR ${name} IS NULL` : '';
    return `(${dialect.anyOf(name, given, bind)}${absent})`;
  }
  if (typeof match !== 'object') return `${name} = ${bind(dialect.value(columnValue(match, field)))}`;
  const { before, after } = match as { readonly before?: number; readonly after?: number };
  // The columns hold integers: rounding keeps the meaning, and some databases compare integers only with integers.
  return [
    ...(before === undefined ? [] : [`${name} < ${bind(dialect.value(Math.ceil(before)))}`]),
    ...(after === undefined ? [] : [`${name} > ${bind(dialect.value(Math.floor(after)))}`]),
  ];
}

/** Ties are ordered by the key, in the direction of the last given column, so that one index serves both. */
function ordering<Value>(
  dialect: SqlDialect<Value>,
  shape: Shape,
  order: readonly (readonly [string, 'asc' | 'desc'])[] = [],
): string {
  const named = new Set(order.map(([field]) => field));
  const last = order.at(-1)?.[1] ?? 'asc';
  const full = [...order, ...shape.key.filter((field) => !named.has(field)).map((field) => [field, last] as const)];
  return ` ORDER BY ${full.map(([field, direction]) => dialect.ordered(column(shape, field), direction)).join(', ')}`;
}

function column(shape: Shape, field: string): string {
  if (shape.key.includes(field) || shape.columns.includes(field)) return `"${field}"`;
  throw refusals.misuse(`'${field}' of '${shape.kind}' has no column: queries cannot use it.`);
}

function bound(given: number): number {
  if (Number.isSafeInteger(given) && given >= 0) return given;
  throw refusals.misuse(`The limit and offset of a query must be integers from 0, not ${given}.`);
}
