import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import test from 'ava';

const run = promisify(execFile);

/**
 * Keeps much and makes garbage that lives for a while, as calls do: about 100 MB a second, with pauses in which V8 can
 * end what it marks in steps. Writes how many times of what is in use the heap is large at most.
 */
const program = (begin: string): string => `
  import { setTimeout } from 'node:timers/promises';
  import { getHeapStatistics } from 'node:v8';
  import { boundHeapGrowth } from './host/process/heap-growth.ts';
  ${begin}
  const kept = Array.from({ length: 300_000 }, (_, i) => ({ i, text: 'x' + i, of: [i] }));
  const open = new Array(20_000);
  // Up to the first time that memory is freed, V8 takes a size that follows from the memory of the computer.
  globalThis.gc();
  let most = 0;
  for (let i = 0; i < 2_000_000; i += 1) {
    open[i % open.length] = { i, of: [i] };
    if (i % 2000 > 0) continue;
    most = Math.max(most, getHeapStatistics().total_heap_size);
    await setTimeout(2);
  }
  globalThis.gc();
  console.log(most / getHeapStatistics().used_heap_size, kept.length);
`;

const timesInUse = async (begin: string): Promise<number> => {
  const args = [
    '--expose-gc',
    '--max-semi-space-size=2',
    '--single-threaded-gc',
    '--input-type=module-typescript',
    '-e',
    program(begin),
  ];
  const { stdout } = await run(process.execPath, args);
  return Number.parseFloat(stdout);
};

// How far V8 lets a heap grow by itself follows from the speeds that it measured. It is shown, not compared with.
test('the heap of a server stays close to what it uses', async (t) => {
  const [unbounded = 0, bounded = 0] = await Promise.all([timesInUse(''), timesInUse('boundHeapGrowth();')]);
  t.log(`${bounded.toFixed(1)} times of what is in use, ${unbounded.toFixed(1)} without a bound`);
  t.true(bounded < 3);
});
