import { begin } from './0001-begin.ts';
import { machineOrder } from './0002-machine-order.ts';
import { brokers } from './0003-brokers.ts';
import { eventTypes } from './0004-event-types.ts';
import { budgets } from './0005-budgets.ts';
import { countedByGroups } from './0006-counted-by-groups.ts';

/**
 * The migrations in their order. A released step never changes, because its text identifies it. The version of a
 * database is the number of its steps.
 */
export const migrations: readonly string[] = [begin, machineOrder, brokers, eventTypes, budgets, countedByGroups];

export const newest = migrations.length;

/**
 * A hash of the text of the steps up to a version: two unreleased builds may create different schemas of one version.
 */
export function fingerprint(version: number): number {
  let hash = 0x811c9dc5;
  for (const step of migrations.slice(0, version)) {
    for (let i = 0; i < step.length; i += 1) hash = Math.imul(hash ^ step.charCodeAt(i), 0x01000193);
  }
  return hash >>> 0;
}
