import test from 'ava';
import { silentLog, type Store } from '../../../../../core/index.ts';
import { EventRetention } from '../../../../../core/reconciler/background/retention/event-retention.ts';
import { Retention } from '../../../../../core/reconciler/background/retention/retention.ts';
import { FakeClock } from '../../../../support/fake-clock.ts';
import { memoryDriver } from '../../../../support/memory-driver.ts';
import { anEvent, aRequest, insert } from '../../../../../plugin-testkit/storage/records.ts';
import { aBroker } from '../../../../../plugin-testkit/storage/records.ts';

const day = 86_400_000;

async function journal(
  clock: FakeClock,
  entries: readonly (readonly [type: string, days: number, request_id?: string])[],
) {
  const store = await memoryDriver().open({}, { clock, log: silentLog });
  await store.commit([insert('request', aRequest('alive'))]);
  for (const [type, days, request_id] of entries)
    await store.commit([
      insert('event', anEvent({ type, at: clock.now() - days * day, ...(request_id ? { request_id } : {}) })),
    ]);
  const left = async () => (await store.find('event', {})).map(({ type }) => type);
  return { store, left };
}

test('an event is kept as long as its request, and at least a month', async (t) => {
  const clock = new FakeClock();
  const { store, left } = await journal(clock, [
    ['of one that lives', 400, 'alive'],
    ['of one that was purged', 399, 'purged'],
    ['of none', 31],
    ['young, of one that was purged', 29, 'purged'],
    ['young, of none', 1],
  ]);
  const retention = new EventRetention(store, clock);
  await retention.run();
  t.deepEqual(await left(), ['of one that lives', 'young, of one that was purged', 'young, of none']);
  await clock.advance(2 * day);
  await retention.run();
  t.deepEqual(await left(), ['of one that lives', 'young, of none']);
});

test('a long journal is checked in steps, past the events that stay, and again an hour later', async (t) => {
  const clock = new FakeClock();
  const stays = Array.from({ length: 2_000 }, () => ['stays', 90, 'alive'] as const);
  const { store, left } = await journal(clock, [...stays, ['goes', 80, 'purged'], ['is young', 29.99, 'purged']]);
  const retention = new EventRetention(store, clock);
  await retention.run();
  t.true((await left()).includes('goes'), 'not all at once');
  await retention.run();
  t.true((await left()).includes('goes'), 'and not at once again');
  await clock.advance(1_000);
  await retention.run();
  t.false((await left()).includes('goes'));
  await clock.advance(1_800_000);
  await retention.run();
  t.true((await left()).includes('is young'));
  await clock.advance(1_800_000);
  for (let i = 0; i < 3; i++) {
    await retention.run();
    await clock.advance(1_000);
  }
  t.is((await left()).length, 2_000);
});

test('after a failure retention pauses for a minute, so that it is logged once and not every round', async (t) => {
  const clock = new FakeClock();
  let asked = 0;
  const broken = {
    job: async () => ({ job: 'retention', epoch: 1 }),
    find: () => ((asked += 1), Promise.reject(new Error('The disk is full.'))),
  } as unknown as Store;
  const retention = new Retention({ store: broken, clock, settings: { lease_ms: 30_000 }, broker: aBroker });
  await t.throwsAsync(retention.run(), { message: /full/ });
  for (let i = 0; i < 5; i++) await t.notThrowsAsync(retention.run());
  t.is(asked, 1);
  await clock.advance(60_000);
  await t.throwsAsync(retention.run(), { message: /full/ });
});
