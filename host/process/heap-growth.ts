import { setFlagsFromString } from 'node:v8';

/** By how much of what is in use the heap may grow until memory is freed again. V8 takes up to 300 by itself. */
const percent = 80;

/**
 * Bounds how far the heaps of this process grow before V8 looks for memory to free. A server under load would keep two
 * to three times of what it uses. To be called when the process has started: while everything is loaded, the heap
 * grows anyway, and the start would take longer.
 */
export const boundHeapGrowth = (): void => setFlagsFromString(`--heap-growing-percent=${percent}`);
