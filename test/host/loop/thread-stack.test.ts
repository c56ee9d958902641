import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';

test('no timer is changed in the middle of what the thread does that asks for the stack of another one', async (t) => {
  t.timeout(300_000);
  const file = join(import.meta.dirname, 'thread-stack.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [file]);
  t.is(stdout, '20 of 20 stacks, 0 timers changed');
});
