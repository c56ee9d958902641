/** The body of the worker thread that `LoopThread` starts. */
import { enableCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type { LoopThreadData } from './loop-messages.ts';

if (!parentPort) throw new Error('This file is the body of a worker thread.');
// As in the main thread, everything else is loaded from the cache.
enableCompileCache();
const { runLoop } = await import('./loop-body.ts');
await runLoop(parentPort, workerData as LoopThreadData);
