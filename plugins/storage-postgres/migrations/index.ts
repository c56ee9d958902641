import { begin } from './0001-begin.ts';
import { eventTypes } from './0002-event-types.ts';
import { budgets } from './0003-budgets.ts';
import { equalReservations } from './0004-equal-reservations.ts';
import { tagsByPlace } from './0005-tags-by-place.ts';
import { locksAtOnce } from './0006-locks-at-once.ts';

/** One change of the schema. */
export interface Migration {
  /** The SQL, for a quoted schema name. A released text never changes, because it identifies the step. */
  readonly sql: (schema: string) => string;
  /**
   * The oldest version of the schema whose muster can work on this one. Two versions of muster run side by side, so
   * that a step only adds; what it replaces goes one release later.
   */
  readonly worksWith: number;
}

/** The migrations in their order. The version of a schema is the number of its steps. */
export const migrations: readonly Migration[] = [
  { sql: begin, worksWith: 1 },
  { sql: eventTypes, worksWith: 1 },
  { sql: budgets, worksWith: 1 },
  { sql: equalReservations, worksWith: 1 },
  { sql: tagsByPlace, worksWith: 1 },
  { sql: locksAtOnce, worksWith: 1 },
];

export const newest = migrations.length;

/** A hash of the text of one step: two unreleased builds may create different schemas of one version. */
export function fingerprint(version: number): number {
  const text = migrations[version - 1]?.sql('schema') ?? '';
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
