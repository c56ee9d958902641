import type { SQLInputValue } from 'node:sqlite';
import { kinds, type Kind, type Records } from '../../../core/index.ts';
import { Damaged, misuse } from '../database/failures.ts';
import type { Row } from './statements.ts';

/** How one kind lies in its table. */
export interface Shape {
  readonly kind: Kind;
  /** Fields that identify a record. */
  readonly key: readonly string[];
  /** The other fields that have a column. */
  readonly columns: readonly string[];
  /**
   * Columns that the store keeps: their value in a record that is read comes from here, whatever the document says.
   */
  readonly kept: readonly ('version' | 'epoch' | 'seq')[];
}

const keptBy: { readonly [K in Kind]?: Shape['kept'] } = {
  request: ['version', 'epoch'],
  template: ['version'],
  event: ['seq'],
};

export const shapes = Object.fromEntries(
  Object.entries(kinds).map(([kind, { key, columns }]) => [
    kind,
    { kind, key, columns, kept: keptBy[kind as Kind] ?? [] },
  ]),
) as unknown as { readonly [K in Kind]: Shape };

/** An identifier in SQL: some fields are called like words of the language. */
export const quoted = (name: string): string => `"${name}"`;

/** What to select for `decode`. */
export const selected = (shape: Shape): string => ['doc', ...shape.kept].map(quoted).join(', ');

export function decode<K extends Kind>(shape: Shape, found: Row): Records[K] {
  const record = parsed(shape, found[0] as string);
  shape.kept.forEach((field, i) => {
    record[field] = found[i + 1];
  });
  return record;
}

function parsed(shape: Shape, text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    // The document itself may hold what nobody should see.
    throw new Damaged(`a record of kind ${shape.kind} cannot be read`);
  }
}

/** The values of some fields of a record, as columns hold them. */
export function columnValues(record: object, fields: readonly string[]): SQLInputValue[] {
  return fields.map((field) => columnValue((record as Record<string, unknown>)[field], field));
}

export function columnValue(value: unknown, field: string): SQLInputValue {
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
      throw misuse(
        `'${field}' is a column: it holds a string, a number, a boolean or nothing, not ${JSON.stringify(value)}.`,
      );
  }
}
