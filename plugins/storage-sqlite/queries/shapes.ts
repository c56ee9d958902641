import type { SQLInputValue } from 'node:sqlite';
import { kinds, type Kind, type Records } from '../../../core/index.ts';
import { Damaged, misuse } from '../database/failures.ts';
import type { Row } from './statements.ts';

/** The table of one kind. */
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

export const shapes = Object.fromEntries(
  Object.entries(kinds).map(([kind, { key, columns }]) => [
    kind,
    { kind, key, columns, maintained: maintainedBy[kind as Kind] ?? [] },
  ]),
) as unknown as { readonly [K in Kind]: Shape };

/** A quoted identifier: some fields have names of SQL keywords. */
export const quoted = (name: string): string => `"${name}"`;

/** The columns that `decode` needs. */
export const selected = (shape: Shape): string => ['doc', ...shape.maintained].map(quoted).join(', ');

export function decode<K extends Kind>(shape: Shape, found: Row): Records[K] {
  const record = parsed(shape, found[0] as string);
  shape.maintained.forEach((field, i) => {
    record[field] = found[i + 1];
  });
  return record;
}

function parsed(shape: Shape, text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    // The document may contain secrets: the message does not quote it.
    throw new Damaged(`a record of kind ${shape.kind} cannot be parsed`);
  }
}

/** The values of some fields of a record for their columns. */
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
