/** The body of a process that serves HTTP for a primary, which starts it. */
import { quickStart } from '../process/compile-cache.ts';

quickStart();
const { runWorker } = await import('./run-worker.ts');
runWorker();
