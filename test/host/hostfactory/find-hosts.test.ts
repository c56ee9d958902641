import test from 'ava';
import { silentLog, systemClock } from '../../../core/index.ts';
import { Inventory } from '../../../core/requests/queries/inventory.ts';
import { findHosts } from '../../../host/hostfactory/find-hosts.ts';
import { aMachine, insert } from '../../../plugin-testkit/storage/records.ts';
import { memoryDriver } from '../../support/memory-driver.ts';

test('of two machines with one id the name that comes with it says which; without it none is taken', async (t) => {
  const store = await memoryDriver().open({}, { clock: systemClock, log: silentLog });
  await store.commit([
    insert('machine', aMachine('i-1', { provider_instance: 'east', name: 'host-e' })),
    insert('machine', aMachine('i-1', { provider_instance: 'west', name: 'host-w' })),
    insert('machine', aMachine('i-2', { provider_instance: 'east', name: 'host-2' })),
    insert('machine', aMachine('i-3', { provider_instance: 'west', name: 'host-2', gone_at: 9 })),
  ]);
  const inventory = new Inventory(store, systemClock);
  const found = async (...hosts: Parameters<typeof findHosts>[0]) =>
    (await findHosts(hosts, inventory)).map(
      ({ provider_instance, machine_id }) => `${provider_instance}/${machine_id}`,
    );
  t.deepEqual(await found({ machine_id: 'i-1', name: 'host-w' }, { name: 'host-2' }, { machine_id: 'i-3' }), [
    'west/i-1',
    'east/i-2',
    'west/i-3',
  ]);
  for (const host of [{ machine_id: 'i-1' }, { machine_id: 'i-1', name: 'other' }, { name: 'i-1' }])
    await t.throwsAsync(found(host), { code: 'CONFLICT', message: /'i-1' is 'east\/i-1' or 'west\/i-1'/ });
});
