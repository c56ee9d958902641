/** The body of a process that serves HTTP for a primary, which starts it. */
import { enableCompileCache } from 'node:module';

// As in the primary, everything else is loaded from the cache.
enableCompileCache();
const { runWorker } = await import('./run-worker.ts');
runWorker();
