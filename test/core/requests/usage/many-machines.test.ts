import test from 'ava';
import { silentLog, type Store } from '../../../../core/index.ts';
import { noUsage, usageTopic } from '../../../../core/model/usage/usage.ts';
import { UsageQuery } from '../../../../core/requests/usage/usage-query.ts';
import { aMachine, aRequest, insert } from '../../../../plugin-testkit/storage/records.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { memoryDriver } from '../../../support/memory-driver.ts';

test('a sum over many machines and days lets the thread serve other calls in between, and is exact', async (t) => {
  const clock = new FakeClock();
  const store: Store = await memoryDriver().open({}, { clock, log: silentLog });
  const day = 86_400_000;
  const last = Math.floor(clock.now() / day) * day;
  const days = Array.from({ length: 100 }, (_, i) => new Date(last - i * day).toISOString().slice(0, 10));
  await store.commit([
    insert('request', aRequest('r-1')),
    ...days.map((name) => ({
      op: 'put' as const,
      kind: 'fact' as const,
      record: { topic: usageTopic, name, item: '["old"]', value: { ...noUsage, machine_ms: 10 }, at: 1 },
    })),
  ]);
  for (let part = 0; part < 10; part += 1)
    await store.commit(
      Array.from({ length: 100 }, (_, i) =>
        insert('machine', aMachine(`m-${part}-${i}`, { created_at: last - 2 * day - part })),
      ),
    );
  let turns = 0;
  let running = true;
  const count = (): void => void (running && setImmediate(() => (turns++, count())));
  count();
  const rows = await new UsageQuery(store, clock).rows(days);
  running = false;
  const used = rows.reduce((sum, { amounts }) => sum + amounts.machine_ms, 0);
  const lived = Array.from({ length: 10 }, (_, part) => 100 * (clock.now() - last + 2 * day + part));
  t.is(
    used,
    lived.reduce((sum, ms) => sum + ms, 100 * 10),
  );
  t.true(turns >= 14, `${turns} turns`);
});
