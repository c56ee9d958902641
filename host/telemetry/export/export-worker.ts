/** The entry point of the thread that `Exporter` starts. */
import { parentPort, workerData } from 'node:worker_threads';
import { useCompileCache } from '../../process/compile-cache.ts';
import type { ExportThreadData } from './export-messages.ts';

if (!parentPort) throw new Error('This file must run in a worker thread.');
useCompileCache();
const { runExport } = await import('./run-export.ts');
await runExport(parentPort, workerData as ExportThreadData);
