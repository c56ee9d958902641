import { begin } from './0001-begin.ts';

/** In order; a step, once released, is never changed. The version of a database is the number of steps it went through. */
export const migrations: readonly string[] = [begin];

export const newest = migrations.length;
