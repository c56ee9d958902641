import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import test from 'ava';

const run = promisify(execFile);

/** Writes how many megabytes the young objects of each of two threads may take, when they keep much. */
const program = `
  import { once } from 'node:events';
  import { Worker } from 'node:worker_threads';
  import { limitsOfExport, limitsOfLoop } from './host/process/thread-limits.ts';
  const grow = \`
    import { getHeapSpaceStatistics } from 'node:v8';
    const kept = [];
    for (let i = 0; i < 600000; i += 1) kept.push({ i });
    const { space_size } = getHeapSpaceStatistics().find((each) => each.space_name === 'new_space');
    console.log(space_size / 2 ** 20);
  \`;
  for (const limits of [limitsOfLoop(), limitsOfExport()])
    await once(new Worker(grow, { eval: true, resourceLimits: limits }), 'exit');
`;

test('the flag of the launcher does not bound the young objects of other threads, which have limits of their own', async (t) => {
  const args = ['--max-semi-space-size=8', '--input-type=module-typescript', '-e', program];
  const { stdout } = await run(process.execPath, args);
  t.deepEqual(stdout.trim().split('\n').map(Number), [4, 32]);
});
