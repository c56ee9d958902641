import test from 'ava';
import { silentLog, systemClock } from '../../../core/index.ts';
import plugin from '../../../plugins/storage-postgres/index.ts';
import { damagedMachine } from '../../support/damaged-machine.ts';
import { testDatabase } from '../../support/postgres-database.ts';

test('a machine whose record is not JSON stops the work on its request alone', async (t) => {
  const database = await testDatabase();
  t.teardown(() => database.remove());
  const schema = database.place();
  const store = await plugin.storages?.[0]?.open(database.options(schema), { clock: systemClock, log: silentLog });
  if (!store) return t.fail();
  await damagedMachine(t, store, (assignment) => database.run(`UPDATE ${schema}.machine ${assignment}`));
  await store.close();
});
