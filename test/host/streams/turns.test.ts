import { setImmediate as otherWork } from 'node:timers/promises';
import test from 'ava';
import { Turns } from '../../../host/streams/turns.ts';

/** Turns of a thread in which each work takes so many milliseconds. */
function turnsOf(workMs: number) {
  let now = 0;
  const ran: number[] = [];
  const turns = new Turns({ monotonic: () => now });
  const work = (n: number) => (): void => {
    now += workMs;
    ran.push(n);
  };
  return { turns, ran, work };
}
const upTo = (n: number) => Array.from({ length: n }, (_, index) => index + 1);

test('a turn ends after a millisecond, and other work runs before the next', async (t) => {
  const { turns, ran, work } = turnsOf(0.25);
  for (const n of upTo(10)) turns.add(work(n));
  t.deepEqual(ran, [], 'nothing runs at once');
  await otherWork();
  t.deepEqual(ran, upTo(4));
  await otherWork();
  t.deepEqual(ran, upTo(8));
  await otherWork();
  t.deepEqual(ran, upTo(10));
});

test('work that takes longer than a turn has a turn of its own', async (t) => {
  const { turns, ran, work } = turnsOf(3);
  for (const n of upTo(3)) turns.add(work(n));
  for (const n of upTo(3)) {
    await otherWork();
    t.is(ran.length, n);
  }
});

test('work that is added again while it waits runs once; while it runs, it waits behind the others', async (t) => {
  const { turns, ran, work } = turnsOf(0);
  const [first, second] = [work(1), work(2)];
  const again = () => {
    first();
    if (ran.length < 3) turns.add(again);
  };
  turns.add(again);
  turns.add(again);
  turns.add(second);
  await otherWork();
  await otherWork();
  t.deepEqual(ran, [1, 2, 1]);
});

test('all items have their turn before the end is told', async (t) => {
  const { turns, ran, work } = turnsOf(0.5);
  await turns.each(upTo(7), (n) => work(n)());
  t.deepEqual(ran, upTo(7));
  await turns.each([], () => t.fail());
});
