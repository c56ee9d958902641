import test from 'ava';
import { systemClock, type Clock } from '../../../core/index.ts';
import { bootBroker } from '../../support/boot-broker.ts';
import { testDatabase, type TestDatabase } from '../../support/postgres-database.ts';

let database: TestDatabase;
test.before(async () => {
  database = await testDatabase();
});
test.after.always(() => database.remove());

const wrongBy = (ms: number): Clock => ({ ...systemClock, now: () => Date.now() + ms });

for (const minutes of [-10, 10]) {
  test(`a broker whose clock is wrong by ${minutes} minutes delays nothing, and shows the time of the database`, async (t) => {
    const booted = await bootBroker({
      clock: wrongBy(minutes * 60_000),
      configuration: {
        plugins: ['cloud', 'cloud-runinstances', 'cloud-ec2fleet', 'default-format', 'storage-postgres'],
        storage: { type: 'postgres', ...database.options(database.place()) },
      },
    });
    t.teardown(() => booted.close());
    const before = Date.now();
    const { body } = await booted.call('POST', '/machines/request', { template_id: 'small', machine_count: 2 });
    const status = async () => (await booted.call('GET', `/requests/${body.request_id}/status`)).body;
    await booted.until(async () => (await status()).status === 'completed');
    const { created_at, completed_at } = await status();
    t.true(Math.abs(Date.parse(created_at) - before) < 60_000, created_at);
    t.true(Date.parse(completed_at) >= Date.parse(created_at));
  });
}
