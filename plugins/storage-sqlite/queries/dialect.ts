import type { SQLInputValue } from 'node:sqlite';
import { quoted, type SqlDialect } from '../../../core/index.ts';

/** Longer lists are bound as one JSON value, so that the text does not depend on their length. */
const maxInline = 4;

/** How SQLite writes queries. */
export const sqliteDialect: SqlDialect<SQLInputValue> = {
  placeholder: () => '?',
  table: quoted,
  value: (value) => value,
  anyOf: (column, values, bind) =>
    values.length > maxInline
      ? `${column} IN (SELECT value FROM json_each(${bind(JSON.stringify(values))}))`
      : `${column} IN (${values.map((value) => bind(value)).join(', ')})`,
  ordered: (column, direction) => (direction === 'desc' ? `${column} DESC` : column),
  noLimit: '-1',
};
