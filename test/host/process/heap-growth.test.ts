import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import test from 'ava';

const run = promisify(execFile);

/** Keeps much and makes garbage that lives for a while, as calls do. Writes the largest size of the heap, in MB. */
const program = (begin: string): string => `
  import { getHeapStatistics } from 'node:v8';
  import { boundHeapGrowth } from './host/process/heap-growth.ts';
  ${begin}
  const kept = Array.from({ length: 300_000 }, (_, i) => ({ i, text: 'x' + i, of: [i] }));
  const open = new Array(20_000);
  let most = 0;
  for (let i = 0; i < 5_000_000; i += 1) {
    open[i % open.length] = { i, of: [i] };
    if (i % 20_000 === 0) most = Math.max(most, getHeapStatistics().total_heap_size);
  }
  console.log(Math.round(most / 1e6), kept.length);
`;

const mostMb = async (begin: string): Promise<number> => {
  const args = [
    '--max-semi-space-size=2',
    '--single-threaded-gc',
    '--input-type=module-typescript',
    '-e',
    program(begin),
  ];
  const { stdout } = await run(process.execPath, args);
  return Number.parseInt(stdout, 10);
};

test('the heap of a server stays close to what it uses', async (t) => {
  const [unbounded, bounded] = [await mostMb(''), await mostMb('boundHeapGrowth();')];
  t.log(`${bounded} MB at most, ${unbounded} MB without a bound`);
  t.true(bounded < 0.75 * unbounded);
});
