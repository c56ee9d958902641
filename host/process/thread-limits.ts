import { setFlagsFromString } from 'node:v8';
import type { ResourceLimits } from 'node:worker_threads';

/**
 * Megabytes of young objects of the loop's thread. Loading fills them once, and the usual 48 would keep that memory
 * for ever.
 */
const loopMb = 6;
/** Of the thread that exports. With 6, spans were copied repeatedly: collections took a fifth of its time. */
const exportMb = 48;

export const limitsOfLoop = (): ResourceLimits => youngObjects(loopMb);
export const limitsOfExport = (): ResourceLimits => youngObjects(exportMb);

/**
 * V8 would prefer the flag of the launcher, which is for the thread that answers calls, to the limits of every other
 * thread. It reads the flag when a heap is made, so it is taken back before.
 */
function youngObjects(mb: number): ResourceLimits {
  setFlagsFromString('--max-semi-space-size=0');
  return { maxYoungGenerationSizeMb: mb };
}
