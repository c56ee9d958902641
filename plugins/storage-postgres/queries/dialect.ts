import { quoted, type ColumnValue, type Kind, type SqlDialect } from '../../../core/index.ts';
import type { Value } from '../connections/statement.ts';

/** The greatest and the least number of a column. */
const most = '9223372036854775807';
const least = '-9223372036854775808';

/**
 * The bound value of a column. PostgreSQL has no character NUL: a column holds another one that no text has. The
 * document of the record keeps it.
 */
export function bound(value: ColumnValue): ColumnValue {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\uFFFE') : value;
  if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) return value > 0 ? most : least;
  return value;
}

/** How PostgreSQL writes queries on the tables of a schema. */
export const postgresDialect = (schema: string): SqlDialect<Value> => ({
  placeholder: (position) => `$${position}`,
  table: (kind: Kind) => `${schema}.${quoted(kind)}`,
  value: bound,
  anyOf: (column, values, bind) => `${column} = ANY(${bind(values.map(bound))})`,
  ordered: (column, direction) => `${column} ${direction === 'desc' ? 'DESC NULLS LAST' : 'ASC NULLS FIRST'}`,
  noLimit: 'ALL',
});
