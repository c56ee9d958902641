import test from 'ava';
import { silentLog } from '../../../../../core/index.ts';
import { Retention } from '../../../../../core/reconciler/background/retention/retention.ts';
import { FakeClock } from '../../../../support/fake-clock.ts';
import { memoryDriver } from '../../../../support/memory-driver.ts';
import { aBroker } from '../../../../../plugin-testkit/storage/records.ts';

test('expired facts are removed, others stay', async (t) => {
  const clock = new FakeClock();
  const store = await memoryDriver().open({}, { clock, log: silentLog });
  const fact = (item: string, until?: number) => ({
    topic: 'offer',
    name: 'east',
    item,
    value: 1,
    at: 0,
    ...(until === undefined ? {} : { until }),
  });
  const facts = [fact('over', clock.now() - 1), fact('holds', clock.now() + 60_000), fact('forever')];
  await store.commit(facts.map((record) => ({ op: 'put', kind: 'fact', record })));
  await new Retention({ store, clock, settings: { lease_ms: 30_000 }, broker: aBroker }).run();
  t.deepEqual((await store.find('fact', {})).map(({ item }) => item).toSorted(), ['forever', 'holds']);
  await store.close();
});
