import test from 'ava';
import { silentLog } from '../../../../../core/index.ts';
import { KeyRetention } from '../../../../../core/reconciler/background/retention/key-retention.ts';
import { FakeClock } from '../../../../support/fake-clock.ts';
import { memoryDriver } from '../../../../support/memory-driver.ts';

const day = 86_400_000;
const hour = 3_600_000;

/** A key by the days since its creation and since the purge of its request. */
async function storeOf(clock: FakeClock, keys: Readonly<Record<string, readonly [made: number, purged?: number]>>) {
  const store = await memoryDriver().open({}, { clock, log: silentLog });
  for (const [key, [made, purged]] of Object.entries(keys)) {
    const record = {
      scope: 'POST /machines/request',
      key,
      fingerprint: 'f',
      request_id: `req-${key}`,
      created_at: clock.now() - made * day,
    };
    const at = purged === undefined ? {} : { purged_at: clock.now() - purged * day };
    await store.commit([{ op: 'put', kind: 'key', record: { ...record, ...at } }]);
  }
  const left = async () => (await store.find('key', {})).map(({ key }) => key).toSorted();
  return { store, left };
}

test('the key of a purged request is removed a week after the purge, and at least two weeks after it was made; keys of existing requests stay', async (t) => {
  const clock = new FakeClock();
  const { store, left } = await storeOf(clock, {
    'long gone': [100, 8],
    'just over': [14.1, 13],
    'purged lately': [100, 6],
    'purged early': [13, 12],
    'alive and old': [400],
    'alive and young': [1],
  });
  await new KeyRetention(store, clock).run();
  t.deepEqual(await left(), ['alive and old', 'alive and young', 'purged early', 'purged lately']);
});

test('many old keys are checked in steps, and a new round starts an hour later', async (t) => {
  const clock = new FakeClock();
  const many = Array.from({ length: 400 }, (_, i) => [`alive ${i}`, [300 - i / 100]] as const);
  const { store, left } = await storeOf(clock, { ...Object.fromEntries(many), late: [15, 10] });
  const keyRetention = new KeyRetention(store, clock);
  await keyRetention.run();
  t.true((await left()).includes('late'), 'the first step is not the whole round');
  for (let i = 0; i < 2; i++) {
    await clock.advance(1_000);
    await keyRetention.run();
  }
  t.is((await left()).length, 400);
  const over = {
    scope: 's',
    key: 'later',
    fingerprint: 'f',
    request_id: 'r',
    created_at: clock.now() - 400 * day,
    purged_at: 0,
  };
  await store.commit([{ op: 'put', kind: 'key', record: over }]);
  await clock.advance(hour - 1_000);
  await keyRetention.run();
  t.is((await left()).length, 401, 'not before the hour is over');
  await clock.advance(1_000);
  await keyRetention.run();
  t.is((await left()).length, 400);
});
