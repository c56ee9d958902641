import { refusals } from '../contract/commits/refusals.ts';
import { kinds, type Kind } from '../model/kinds.ts';

/** The table of one kind, in a storage that keeps tables. */
export interface Shape {
  readonly kind: Kind;
  /** Fields that identify a record. */
  readonly key: readonly string[];
  /** The other fields with a column. */
  readonly columns: readonly string[];
  /**
   * Columns that the store maintains: a record that is read has the value of the column, whatever the document
   * contains.
   */
  readonly maintained: readonly ('version' | 'epoch' | 'seq')[];
}

const maintainedBy: { readonly [K in Kind]?: Shape['maintained'] } = {
  request: ['version', 'epoch'],
  template: ['version'],
  event: ['seq'],
};

/** The table of each kind. */
export const shapes = Object.fromEntries(
  Object.entries(kinds).map(([kind, { key, columns }]) => [
    kind,
    { kind, key, columns, maintained: maintainedBy[kind as Kind] ?? [] },
  ]),
) as unknown as { readonly [K in Kind]: Shape };

/** The columns of an insert: the store assigns the sequence number of an event. */
export const insertable = (shape: Shape): readonly string[] => [
  ...(shape.maintained.includes('seq') ? [] : shape.key),
  ...shape.columns,
];

/** A quoted identifier: some fields have names of SQL keywords. */
export const quoted = (name: string): string => `"${name}"`;

/** The value of a column. A boolean is kept as 0 or 1. */
export type ColumnValue = string | number | null;

/** The values of some fields of a record for their columns. */
export function columnValues(record: object, fields: readonly string[]): ColumnValue[] {
  return fields.map((field) => columnValue((record as Record<string, unknown>)[field], field));
}

/** Throws INTERNAL for a value that no column holds. */
export function columnValue(value: unknown, field: string): ColumnValue {
  switch (typeof value) {
    case 'string':
    case 'number':
      return value;
    case 'boolean':
      return value ? 1 : 0;
    case 'undefined':
      return null;
    default:
      if (value === null) return null;
      throw refusals.misuse(
        `'${field}' is a column: it holds a string, a number, a boolean or nothing, not ${JSON.stringify(value)}.`,
      );
  }
}
