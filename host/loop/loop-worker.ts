/** The entry point of the worker thread that `LoopThread` starts. */
import { parentPort, workerData } from 'node:worker_threads';
import type { LoopThreadData } from './loop-messages.ts';
import { useFastLoading } from '../process/fast-loading.ts';

if (!parentPort) throw new Error('This file must run in a worker thread.');
useFastLoading();
const { runLoop } = await import('./loop-body.ts');
await runLoop(parentPort, workerData as LoopThreadData);
