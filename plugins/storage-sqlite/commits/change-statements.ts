import type { SQLInputValue } from 'node:sqlite';
import { columnValues, insertable, quoted, type Shape } from '../../../core/index.ts';

export const same = (key: readonly string[]) => key.map((field) => `${quoted(field)} = ?`).join(' AND ');
const list = (fields: readonly string[]) => fields.map(quoted).join(', ');

export function inserting(shape: Shape): string {
  const fields = [...insertable(shape), 'doc'];
  return `INSERT INTO ${quoted(shape.kind)} (${list(fields)}) VALUES (${fields.map(() => '?').join(', ')}) ON CONFLICT DO NOTHING`;
}

export function putting(shape: Shape): string {
  const fields = [...shape.key, ...shape.columns, 'doc'];
  const changed = [...shape.columns, 'doc'].map((field) => `${quoted(field)} = excluded.${quoted(field)}`);
  if (shape.maintained.includes('version')) changed.push('version = version + 1');
  return `INSERT INTO ${quoted(shape.kind)} (${list(fields)}) VALUES (${fields.map(() => '?').join(', ')})
    ON CONFLICT (${list(shape.key)}) DO UPDATE SET ${changed.join(', ')}${shape.kind === 'machine' ? unlessForeign : ''}`;
}

/** A living machine stays with its request. */
const unlessForeign = ' WHERE machine.gone_at IS NOT NULL OR machine.request_id IS excluded.request_id';

export function replacing(shape: Shape): string {
  const changed = [...shape.columns, 'doc'].map((field) => `${quoted(field)} = ?`);
  return `UPDATE ${quoted(shape.kind)} SET ${changed.join(', ')}, version = version + 1 WHERE ${same(shape.key)}`;
}

/** The values for `replacing`. */
export const replacement = (shape: Shape, record: object): SQLInputValue[] => [
  ...columnValues(record, shape.columns),
  JSON.stringify(record),
  ...columnValues(record, shape.key),
];
