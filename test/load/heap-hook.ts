/** Loaded into every thread of a server: writes down what its heap holds after a collection, every few seconds. */
import { appendFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread, threadId } from 'node:worker_threads';

const file = process.env['HEAP_FILE'];
const everyMs = 5_000;

if (file !== undefined) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const thread = isMainThread ? 'http' : `loop ${threadId}`;
  setInterval(() => {
    collect();
    appendFileSync(file, `${JSON.stringify({ thread, at: Date.now(), bytes: process.memoryUsage().heapUsed })}\n`);
  }, everyMs).unref();
}
