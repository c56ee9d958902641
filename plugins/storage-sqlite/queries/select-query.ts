import type { SQLInputValue } from 'node:sqlite';
import type { Kind, Match, Query } from '../../../core/index.ts';
import { misuse } from '../database/failures.ts';
import { columnValue, quoted, shapes, type Shape } from './shapes.ts';

/** SQL text that depends only on the shape of the query, so that its statement can be reused, and the bound values. */
export interface SelectQuery {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

/** Longer lists are bound as one JSON value, so that the text does not depend on their length. */
const maxInline = 4;

/** Selects columns of one kind. */
export function selectQuery<K extends Kind>(
  columns: string,
  kind: K,
  { where, order, limit, offset }: Query<K>,
): SelectQuery {
  const shape = shapes[kind];
  const values: SQLInputValue[] = [];
  let sql = `SELECT ${columns} FROM ${quoted(kind)}${conditions(shape, where, values)}${ordering(shape, order)}`;
  if (limit !== undefined || offset !== undefined) {
    sql += ' LIMIT ? OFFSET ?';
    values.push(bound(limit ?? -1, limit === undefined), bound(offset ?? 0, false));
  }
  return { sql, values };
}

/** Counts the records that match. */
export function countQuery<K extends Kind>(kind: K, where: NonNullable<Query<K>['where']>): SelectQuery {
  const values: SQLInputValue[] = [];
  return { sql: `SELECT count(*) FROM ${quoted(kind)}${conditions(shapes[kind], where, values)}`, values };
}

function conditions(shape: Shape, where: object = {}, values: SQLInputValue[]): string {
  const all = Object.entries(where as Record<string, Match>).flatMap(([field, match]) =>
    condition(column(shape, field), field, match, values),
  );
  return all.length > 0 ? ` WHERE ${all.join(' AND ')}` : '';
}

function condition(name: string, field: string, match: Match | undefined, values: SQLInputValue[]): string | string[] {
  if (match === undefined)
    throw misuse(
      `The query compares '${field}' with undefined. Use null for an absent value, and omit the field for no condition.`,
    );
  if (match === null) return `${name} IS NULL`;
  if (Array.isArray(match)) return anyOf(name, field, match, values);
  if (typeof match !== 'object') {
    values.push(columnValue(match, field));
    return `${name} = ?`;
  }
  const { before, after } = match as { readonly before?: number; readonly after?: number };
  const parts: string[] = [];
  if (before !== undefined) {
    parts.push(`${name} < ?`);
    values.push(before);
  }
  if (after !== undefined) {
    parts.push(`${name} > ?`);
    values.push(after);
  }
  return parts;
}

function anyOf(name: string, field: string, list: readonly unknown[], values: SQLInputValue[]): string {
  const given = list.filter((each) => each !== null).map((each) => columnValue(each, field));
  const absent = given.length < list.length ? ` OR ${name} IS NULL` : '';
  if (given.length > maxInline) {
    values.push(JSON.stringify(given));
    return `(${name} IN (SELECT value FROM json_each(?))${absent})`;
  }
  values.push(...given);
  return `(${name} IN (${given.map(() => '?').join(', ')})${absent})`;
}

/** Ties are ordered by the key, in the direction of the last given column, so that one index serves both. */
function ordering(shape: Shape, order: readonly (readonly [string, 'asc' | 'desc'])[] = []): string {
  const named = new Set(order.map(([field]) => field));
  const last = order.at(-1)?.[1] ?? 'asc';
  const full = [...order, ...shape.key.filter((field) => !named.has(field)).map((field) => [field, last] as const)];
  return ` ORDER BY ${full.map(([field, direction]) => `${column(shape, field)}${direction === 'desc' ? ' DESC' : ''}`).join(', ')}`;
}

function column(shape: Shape, field: string): string {
  if (shape.key.includes(field) || shape.columns.includes(field)) return quoted(field);
  throw misuse(`'${field}' of '${shape.kind}' has no column: queries cannot use it.`);
}

function bound(given: number, absent: boolean): number {
  if (absent || (Number.isSafeInteger(given) && given >= 0)) return given;
  throw misuse(`The limit and offset of a query must be integers from 0, not ${given}.`);
}
