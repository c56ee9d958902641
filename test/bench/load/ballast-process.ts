/**
 * A process that keeps a processor busy with the lowest priority. Processors may share a core: a thread is then slower
 * while another one runs, and of two servers the one with more threads would seem to need more time in each of them.
 */
import { setPriority } from 'node:os';
import { setImmediate as turn } from 'node:timers/promises';

const lowest = 19;
const sliceMs = 20;

setPriority(lowest);
process.on('message', () => process.send?.({}));
process.on('disconnect', () => process.exit());
for (;;) {
  for (const end = performance.now() + sliceMs; performance.now() < end; );
  await turn();
}
