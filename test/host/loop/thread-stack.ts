/**
 * A process: asks for the stack of a thread that never answers, while its own thread is busy, and says how many stacks
 * it got, and how often a timer was changed by an interrupt of what its thread was doing.
 */
import { Worker } from 'node:worker_threads';
import { threadStack } from '../../../host/loop/diagnosis/thread-stack.ts';

const stacks = 20;
const busyMs = 30;

const worker = new Worker('for (;;);', { eval: true });
await new Promise((resolve) => worker.on('online', resolve));

let isBusy = false;
let interruptions = 0;
const { setTimeout: set, clearTimeout: clear } = globalThis;
const counted =
  <Given extends unknown[], T>(change: (...given: Given) => T) =>
  (...given: Given): T => {
    if (isBusy) interruptions += 1;
    return change(...given);
  };
Object.assign(globalThis, { setTimeout: counted(set), clearTimeout: counted(clear) });

function work(): void {
  isBusy = true;
  const end = performance.now() + busyMs;
  while (performance.now() < end);
  isBusy = false;
  setImmediate(work);
}
work();

let found = 0;
for (let n = 0; n < stacks; n += 1) if (await threadStack(worker.threadId, 60_000)) found += 1;
process.stdout.write(`${found} of ${stacks} stacks, ${interruptions} timers changed`);
process.exit(0);
