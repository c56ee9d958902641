/** The entry point of a worker process, which the primary starts. */
import { useFastLoading } from '../process/fast-loading.ts';

useFastLoading();
const { runWorker } = await import('./run-worker.ts');
runWorker();
