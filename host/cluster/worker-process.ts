/** The entry point of a worker process, which the primary starts. */
import { useCompileCache } from '../process/compile-cache.ts';

useCompileCache();
const { runWorker } = await import('./run-worker.ts');
runWorker();
