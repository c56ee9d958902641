/** The entry point of the thread that `Exporter` starts. */
import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { useFastLoading } from '../../process/fast-loading.ts';
import type { ExportThreadData } from './export-messages.ts';

/** A tenth of the share of a thread that answers calls, where both need the same processor. */
const niceness = 10;

if (!parentPort) throw new Error('This file must run in a worker thread.');
useFastLoading();
// Calls come first: what the export has no time for is dropped and counted. Linux alone takes this for one thread. A
// server that was started with a lower priority keeps it.
if (process.platform === 'linux' && getPriority() < niceness) setPriority(niceness);
const { runExport } = await import('./run-export.ts');
await runExport(parentPort, workerData as ExportThreadData);
