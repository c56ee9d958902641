import { begin } from './0001-begin.ts';
import { machineOrder } from './0002-machine-order.ts';

/**
 * In order; a step, once released, is never changed: what it made is known by its text. The version of a database is
 * the number of steps it went through.
 */
export const migrations: readonly string[] = [begin, machineOrder];

export const newest = migrations.length;

/**
 * Stands for the text of the steps up to a version: two builds that are not released may make different schemas of one
 * version.
 */
export function fingerprint(version: number): number {
  let hash = 0x811c9dc5;
  for (const step of migrations.slice(0, version)) {
    for (let i = 0; i < step.length; i += 1) hash = Math.imul(hash ^ step.charCodeAt(i), 0x01000193);
  }
  return hash >>> 0;
}
