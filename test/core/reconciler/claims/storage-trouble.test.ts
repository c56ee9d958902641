import test from 'ava';
import { silentLog } from '../../../../core/index.ts';
import { StorageTrouble } from '../../../../core/reconciler/claims/storage-trouble.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

function stage() {
  const clock = new FakeClock();
  const told: string[] = [];
  const tell = (level: string) => (fields: object, message: string) =>
    void told.push(`${level} ${message} ${JSON.stringify({ ...fields, err: undefined })}`);
  return {
    clock,
    told,
    trouble: new StorageTrouble(clock, { ...silentLog, error: tell('error'), info: tell('info') }),
  };
}

test('any number of retries gives one log line at the start, one every ten seconds, and one at the end', async (t) => {
  const { clock, told, trouble } = stage();
  const tasks = Array.from({ length: 300 }, () => ({}));
  t.is(trouble.message, undefined);
  for (let second = 0; second < 25; second++) {
    for (const task of tasks) trouble.failed(task, new Error('The disk is full.'));
    await clock.advance(1_000);
  }
  t.is(trouble.message, 'The disk is full.');
  t.is(told.length, 3);
  for (const task of tasks.slice(1)) trouble.over(task);
  t.is(trouble.message, 'The disk is full.', 'one still waits');
  trouble.over(tasks[0] ?? {});
  t.is(trouble.message, undefined);
  t.deepEqual(told.slice(3), ['info The storage serves the loop again. {"tries":7500,"seconds":25}']);
});

test('short troubles do not flood the log, and a task that never failed ends no trouble', async (t) => {
  const { clock, told, trouble } = stage();
  for (let i = 0; i < 100; i++) {
    trouble.failed(trouble, new Error('locked'));
    trouble.over({});
    t.is(trouble.message, 'locked');
    trouble.over(trouble);
    await clock.advance(50);
  }
  t.is(told.length, 2);
});
