import test from 'ava';
import { testDatabase, type TestDatabase } from '../support/postgres-database.ts';
import { playCluster } from './cluster/play-cluster.ts';

let database: TestDatabase;
test.before(async () => {
  database = await testDatabase();
});
test.after.always(() => database.remove());

const most = 8;

for (const [scheduler, seed] of [
  ['default', 30_000],
  ['hostfactory', 60_003],
] as const)
  test.serial(
    `three brokers on one database lose and double nothing, whatever is killed, stopped and cut (${scheduler})`,
    async (t) => {
      t.timeout(900_000);
      const { title, wrong, kills, account } = await playCluster({ seed, brokers: 3, database, scheduler, most });
      if (account !== undefined) t.log(account);
      t.log(title, kills);
      t.deepEqual(wrong, []);
      t.true(kills.length >= most, kills.join(', '));
    },
  );

test.serial(
  'three brokers on one database never exceed a budget that is tight, and keep no reservation',
  async (t) => {
    t.timeout(900_000);
    const { title, wrong, kills, account } = await playCluster({
      seed: 90_002,
      brokers: 3,
      database,
      most,
      tight: true,
    });
    if (account !== undefined) t.log(account);
    t.log(title, kills);
    t.deepEqual(wrong, []);
    t.true(kills.length >= most, kills.join(', '));
    t.regex(title, /a budget of \d+ machines: \d+ lived at once, [1-9]\d* refusals/);
  },
);
