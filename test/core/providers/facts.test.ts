import test from 'ava';
import { silentLog } from '../../../core/contract/log.ts';
import { nothingMeasured } from '../../../core/model/measured.ts';
import type { FactRecord } from '../../../core/model/records.ts';
import type { Shortfall } from '../../../core/model/shortfall.ts';
import { Facts, offerShortfallFact, offerItem } from '../../../core/providers/facts.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { memoryDriver } from '../../support/memory-driver.ts';

test('a fact with an end holds until its end, and not when the clock was set back before its time', async (t) => {
  const clock = new FakeClock();
  const facts = new Facts(await memoryDriver().open({}, { clock, log: silentLog }), clock);
  const at = clock.now();
  const shortfall: Shortfall = { kind: 'capacity', code: 'None', message: 'There is none.', count: 1 };
  const memory = { offer_memory_ms: 180_000, offer_probe_ms: 15_000 };
  await facts.learn([offerShortfallFact({ instance: 'east', api: 'Api', offer: 'x' }, shortfall, at, memory)]);
  const times = { since: at, short_since: at, until: at + 180_000, tried_again_at: at + 15_000 };
  const learned = { api: 'Api', offer: 'x', shortfall, ...times };
  const known = () => [
    facts.offerShortfall('east', 'Api', 'x'),
    facts.hasOfferShortfalls('east'),
    facts.offerShortfalls('east').length,
  ];
  t.deepEqual(facts.offerShortfalls('east'), [learned]);
  t.deepEqual(known(), [learned, true, 1]);
  await clock.advance(179_000);
  t.deepEqual(known(), [learned, true, 1]);
  await clock.advance(1_000);
  t.deepEqual(known(), [undefined, false, 0]);
  clock.jump(-181_500);
  t.deepEqual(known(), [undefined, false, 0]);
  clock.jump(600);
  t.deepEqual(known(), [learned, true, 1]);
});

/** Facts over a store whose reads can be delayed: each read returns the state at its start. */
async function followed() {
  const clock = new FakeClock();
  const store = await memoryDriver().open({}, { clock, log: silentLog });
  const find = store.find.bind(store);
  const held: (() => void)[] = [];
  let hold = false;
  store.find = async (kind, query) => {
    const seen = await find(kind, query);
    if (hold) await new Promise<void>((resolve) => held.push(resolve));
    return seen;
  };
  const facts = new Facts(store, clock);
  await facts.follow();
  return {
    clock,
    store,
    facts,
    /** Delays all further reads. */
    holdReads: () => void (hold = true),
    /** Ends the n-th delayed read. */
    async letGo(n: number) {
      held[n]?.();
      await clock.advance(0);
    },
    waiting: () => held.length,
    elsewhere: (fact: FactRecord) => store.commit([{ op: 'put', kind: 'fact', record: fact }]),
  };
}

const fact = (topic: string, value: unknown, fields: Partial<FactRecord> = {}): FactRecord => ({
  topic,
  name: 'east',
  item: '',
  value,
  at: Date.parse('2026-01-01T00:00:00Z'),
  ...fields,
});
const lack = fact('offer', { kind: 'capacity', code: 'None', message: 'None.' }, { item: offerItem('Api', 'x') });
const ended = (total_requests: number) => fact('statistics', { ...nothingMeasured, total_requests });

test('a read that started before a fact was learned does not remove the fact, whatever its topic', async (t) => {
  const { facts, clock, holdReads, letGo, elsewhere } = await followed();
  await facts.learn([ended(1)]);
  holdReads();
  await elsewhere(fact('health', { status: 'unhealthy', message: 'Away.' }, { name: 'west' }));
  await clock.advance(0);
  await facts.learn([ended(2), lack, fact('places', { regions: ['r'], availability_zones: [] })]);
  await letGo(0);
  t.is(facts.measured('east').total_requests, 2);
  t.truthy(facts.offerShortfall('east', 'Api', 'x'));
  t.deepEqual(facts.places('east')?.regions, ['r']);
  t.is(facts.health('west').status, 'unhealthy', 'what it read of others holds');
});

test('a learned fact holds while it is being stored, and facts of other threads hold after the next read', async (t) => {
  const { facts, store, clock, elsewhere } = await followed();
  let stored = (): void => undefined;
  const learning = facts.learn([ended(7)], async (changes) => {
    await new Promise<void>((resolve) => (stored = resolve));
    await store.commit(changes);
  });
  await elsewhere(ended(3));
  await clock.advance(0);
  t.is(facts.measured('east').total_requests, 7, 'read after it was learned, and before it was stored');
  stored();
  await learning;
  await clock.advance(0);
  t.is(facts.measured('east').total_requests, 7);
  await elsewhere(ended(8));
  await clock.advance(0);
  t.is(facts.measured('east').total_requests, 8);
});

test('a fact that could not be stored is forgotten with the next read, and the stored fact holds again', async (t) => {
  const { facts, clock } = await followed();
  await facts.learn([fact('health', { status: 'healthy' })]);
  await clock.advance(0);
  await t.throwsAsync(
    facts.learn([fact('health', { status: 'unhealthy', message: 'Away.' }), lack], () =>
      Promise.reject(new Error('no')),
    ),
  );
  await clock.advance(0);
  t.is(facts.health('east').status, 'healthy');
  t.is(facts.offerShortfall('east', 'Api', 'x'), undefined);
});

test('an overtaken read changes nothing', async (t) => {
  const { facts, clock, holdReads, letGo, elsewhere, waiting } = await followed();
  holdReads();
  await elsewhere(ended(1));
  await clock.advance(0);
  await elsewhere(ended(2));
  await clock.advance(0);
  t.is(waiting(), 2);
  await letGo(1);
  t.is(facts.measured('east').total_requests, 2);
  await letGo(0);
  t.is(facts.measured('east').total_requests, 2);
});

test('learned machine types are not replaced by those of an older discovery', async (t) => {
  const { facts, clock, holdReads, letGo, elsewhere } = await followed();
  const discovery = (at: number) => [
    fact('machine_types', [{ name: `type-${at}`, vcpus: 1, cores: 1, memory_mib: 1, arch: 'x86_64' }], { at }),
    fact('discovery', { identity: 'here', at }, { at }),
  ];
  await facts.learn(discovery(1));
  holdReads();
  await elsewhere(ended(1));
  await clock.advance(0);
  // Not stored yet: the store still has the older ones.
  void facts.learn(discovery(2), () => new Promise(() => undefined));
  await letGo(0);
  t.truthy(facts.machineType('east', 'type-2'));
});
