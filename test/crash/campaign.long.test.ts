import test from 'ava';
import pLimit from 'p-limit';
import { playFrozen } from './campaign/frozen.ts';
import type { Schedule } from './campaign/kill-point.ts';
import { play } from './campaign/play.ts';
import type { Story } from './campaign/stories.ts';

/** Each has a broker and a cloud; more of them at once only wait for the processor. */
const turn = pLimit(2);

const plays: readonly (readonly [Schedule, 'default' | 'hostfactory'])[] = [
  [{ at: 'call', first: 3, every: 7, done: true }, 'hostfactory'],
  [{ at: 'call', first: 6, every: 7, done: false }, 'default'],
  [{ at: 'loop', first: 2, every: 6, done: true }, 'default'],
  [{ at: 'loop', first: 5, every: 6, done: false }, 'hostfactory'],
];
const seed = 7;
const killsEach = 11;

for (const [i, [schedule, scheduler]] of plays.entries()) {
  const { at, first, every, done } = schedule;
  test(`a broker that is killed over and over loses and doubles nothing: ${at} ${first} and every ${every}, ${done ? 'after' : 'before'} it took effect (${scheduler})`, (t) =>
    turn(async () => {
      t.timeout(900_000);
      const { wrong, kills, account } = await play({ seed: seed + i, schedule, scheduler, most: killsEach });
      if (account !== undefined) t.log(account);
      t.deepEqual(wrong, []);
      t.true(kills.length >= 8, `${kills.length} kills`);
      t.log(`${kills.length} kills`);
    }));
}

const some = { supply: 'enough', patience_ms: 0, own_template: false } as const;
const stories: readonly Story[] = [
  { ...some, way: 'instant', machine_count: 300, then: 'return-early' },
  { ...some, way: 'run', machine_count: 250, then: 'cancel-half' },
];

test('a broker that is killed between the parts of large changes loses and doubles nothing', (t) =>
  turn(async () => {
    t.timeout(900_000);
    const schedule = { at: 'part', first: 2, every: 1, done: true } as const;
    const { wrong, kills, account } = await play({
      seed: seed + 1,
      size: 'large',
      schedule,
      scheduler: 'default',
      stories,
      most: 8,
    });
    if (account !== undefined) t.log(account);
    t.deepEqual(wrong, []);
    t.true(kills.filter((kill) => kill.includes('part')).length >= 4, kills.join(', '));
  }));

test('a broker that is suspended between two parts of a large change and continues after another broker took over changes nothing', (t) =>
  turn(async () => {
    t.timeout(900_000);
    const { wrong, frozen_in, account } = await playFrozen({
      seed: seed + 2,
      freezes: { at: 'part', nth: 3 },
      thaws: 'after',
    });
    if (account !== undefined) t.log(account);
    t.deepEqual(wrong, []);
    t.is(frozen_in, 'part 3');
  }));
