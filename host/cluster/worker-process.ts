/** The body of a process that serves HTTP for a primary, which starts it. */
import { useCompileCache } from '../process/compile-cache.ts';

useCompileCache();
const { runWorker } = await import('./run-worker.ts');
runWorker();
