import { begin } from './0001-begin.ts';
import { machineOrder } from './0002-machine-order.ts';

/** In order; a step, once released, is never changed. The version of a database is the number of steps it went through. */
export const migrations: readonly string[] = [begin, machineOrder];

export const newest = migrations.length;
