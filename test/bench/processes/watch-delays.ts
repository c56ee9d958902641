/**
 * Loaded with `--import` into every thread of a process: writes down how long each thread's event loop was blocked. A
 * line for each block of 50 ms and more, into the file that `BENCH_DELAYS` names. /
 */
import { appendFileSync } from 'node:fs';
import { threadId } from 'node:worker_threads';

const file = process.env['BENCH_DELAYS'];
const stepMs = 10;
const leastMs = 50;

if (file !== undefined) {
  let last = performance.now();
  setInterval(() => {
    const now = performance.now();
    const blocked_ms = now - last - stepMs;
    last = now;
    if (blocked_ms >= leastMs)
      appendFileSync(file, `${JSON.stringify({ thread: threadId, at: Date.now(), blocked_ms })}\n`);
  }, stepMs).unref();
}
