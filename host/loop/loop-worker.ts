/** The entry point of the worker thread that `LoopThread` starts. */
import { parentPort, workerData } from 'node:worker_threads';
import type { LoopThreadData } from './loop-messages.ts';
import { useCompileCache } from '../process/compile-cache.ts';

if (!parentPort) throw new Error('This file must run in a worker thread.');
useCompileCache();
const { runLoop } = await import('./loop-body.ts');
await runLoop(parentPort, workerData as LoopThreadData);
