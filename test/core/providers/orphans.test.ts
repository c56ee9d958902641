import test from 'ava';
import { silentLog } from '../../../core/contract/log.ts';
import { Facts } from '../../../core/providers/facts.ts';
import { Orphans } from '../../../core/providers/orphans/orphans.ts';
import { aBroker } from '../../../plugin-testkit/storage/records.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { memoryDriver } from '../../support/memory-driver.ts';

const listing = { owned: async () => [] };
const instance = (name: string, sweep = 'report') => ({ name, sweep, type: name === 'plain' ? 'plain' : 'cloud' });
const providers: any = {
  instances: [instance('east'), instance('twin'), instance('west'), instance('quiet', 'off'), instance('plain')],
  type: ({ type }: { readonly type: string }) => (type === 'cloud' ? listing : {}),
};

async function known() {
  const clock = new FakeClock();
  const facts = new Facts(await memoryDriver().open({}, { clock, log: silentLog }), clock, [], {
    broker_id: 'b-1',
    host: 'here',
  });
  const at = clock.now();
  for (const name of ['east', 'twin'])
    await facts.learn([{ topic: 'discovery', name, item: '', value: { identity: 'cloud-1', at }, at }]);
  const searched = (when: number) =>
    facts.learn([{ topic: 'swept', name: 'cloud-1', item: '', value: 'east', at: when }]);
  return { clock, facts, at, searched };
}

test('a search is of all instances of its cloud; what was never searched, is off or is not possible says so', async (t) => {
  const { clock, facts, at, searched } = await known();
  const orphans = new Orphans(facts, clock, providers, { broker_id: 'b-1', started: at });
  t.deepEqual(
    orphans.searches().map(({ state }) => state),
    ['not_yet', 'not_yet', 'not_yet', 'off', 'not_possible'],
  );
  await clock.advance(15_000);
  await searched(clock.now());
  t.deepEqual(
    orphans.searches().map((search) => [search.provider_instance, search.state, search.searched]),
    [
      ['east', 'searched', at + 15_000],
      ['twin', 'searched', at + 15_000],
      ['west', 'not_yet', undefined],
      ['quiet', 'off', undefined],
      ['plain', 'not_possible', undefined],
    ],
  );
});

test('a search before the brokers started counts as none, because the storage may be a backup', async (t) => {
  const { clock, facts, at, searched } = await known();
  await searched(at);
  await clock.advance(60_000);
  const started = clock.now();
  const orphans = new Orphans(facts, clock, providers, { broker_id: 'b-1', started });
  t.like(orphans.searches()[0], { state: 'not_yet', searched: at });
  // A stored list of brokers of another life does not count.
  await facts.learnBrokers([aBroker({ broker_id: 'b-0', started: at - 1_000 })]);
  t.like(orphans.searches()[0], { state: 'not_yet' });
  // Another broker worked on the storage all the time.
  await facts.learnBrokers([
    aBroker({ broker_id: 'b-0', started: at - 1_000 }),
    aBroker({ broker_id: 'b-1', started }),
  ]);
  t.like(orphans.searches()[0], { state: 'searched', searched: at });
});
