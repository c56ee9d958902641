import test from 'ava';
import { BrokerError, isBrokerError, silentLog, systemClock, type MachineRecord } from '../../../../core/index.ts';
import { Inventory } from '../../../../core/requests/queries/inventory.ts';
import { RequestService } from '../../../../core/requests/request-service.ts';
import { aMachine, aRequest, insert } from '../../../../plugin-testkit/storage/records.ts';
import { memoryDriver } from '../../../support/memory-driver.ts';
import { noBudgets } from '../../../support/no-budgets.ts';

type Given = Partial<MachineRecord> & Pick<MachineRecord, 'provider_instance'>;

/** Machines of two instances with the same ids, each of a separate request. */
async function deskWith(machines: Readonly<Record<string, readonly Given[]>>) {
  const store = await memoryDriver().open({}, { clock: systemClock, log: silentLog });
  for (const name of ['east', 'west', 'north']) await store.commit([insert('request', aRequest(`req-${name}`))]);
  for (const [machine_id, rows] of Object.entries(machines)) {
    for (const row of rows)
      await store.commit([
        insert('machine', aMachine(machine_id, { request_id: `req-${row.provider_instance}`, ...row })),
      ]);
  }
  const requestService = new RequestService(store, systemClock, noBudgets, 1_000);
  return {
    store,
    inventory: new Inventory(store, systemClock),
    /** The machines that a return of these names selects. */
    async takes(...names: Parameters<RequestService['returnMachines']>[0]) {
      const { machine_keys = [] } = await requestService.returnMachines(names, 60);
      return machine_keys.map(({ provider_instance, machine_id }) => `${provider_instance}/${machine_id}`);
    },
  };
}

const refusalOf = async (promise: Promise<unknown>): Promise<BrokerError> => {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return isBrokerError(error) ? error : new BrokerError('INTERNAL', `It was not refused: ${String(error)}`);
};

test('an id that lives at two instances returns neither: the error names both, and how to name one', async (t) => {
  const { takes, inventory, store } = await deskWith({
    'i-1': [{ provider_instance: 'east' }, { provider_instance: 'west' }],
  });
  for (const call of [takes('i-1'), inventory.get('i-1')]) {
    const { code, message, details } = await refusalOf(call);
    t.is(code, 'CONFLICT');
    t.regex(message, /'i-1' .*'east\/i-1' or 'west\/i-1'/);
    t.deepEqual(details['machines'], [
      { provider_instance: 'east', machine_id: 'i-1' },
      { provider_instance: 'west', machine_id: 'i-1' },
    ]);
  }
  t.is(await store.count('signal', {}), 0);
  t.deepEqual(await takes('west/i-1'), ['west/i-1']);
  t.is((await inventory.get('east/i-1')).provider_instance, 'east');
});

test('of machines with one id the living one that is not returned is selected', async (t) => {
  const { takes, inventory } = await deskWith({
    'i-1': [
      { provider_instance: 'east', created_at: 1 },
      { provider_instance: 'west', created_at: 2, gone_at: 3 },
    ],
    'i-2': [
      { provider_instance: 'east', created_at: 1 },
      { provider_instance: 'west', created_at: 2, going: 'returned' },
    ],
    'i-3': [
      { provider_instance: 'east', created_at: 2, gone_at: 3 },
      { provider_instance: 'west', created_at: 1, going: 'returned' },
      { provider_instance: 'north', created_at: 3, gone_at: 4 },
    ],
    'i-4': [
      { provider_instance: 'east', created_at: 1, gone_at: 2 },
      { provider_instance: 'west', created_at: 2, gone_at: 3 },
    ],
  });
  t.deepEqual(await takes('i-1', 'i-2', 'i-3', 'i-4'), ['east/i-1', 'east/i-2', 'west/i-3', 'west/i-4']);
  t.is((await inventory.get('i-3')).provider_instance, 'west');
});

test('a machine whose id looks like an instance with another id is found by its id', async (t) => {
  const { takes } = await deskWith({
    'east/i-1': [{ provider_instance: 'north' }],
    'i-1': [{ provider_instance: 'east' }, { provider_instance: 'west' }],
    'pod/a': [{ provider_instance: 'north' }],
  });
  t.deepEqual(await takes('pod/a'), ['north/pod/a']);
  const { code, message } = await refusalOf(takes('east/i-1'));
  t.is(code, 'CONFLICT');
  t.regex(message, /'north\/east\/i-1'/);
  t.deepEqual(await takes('north/east/i-1'), ['north/east/i-1']);
});

test('a machine that is named twice is returned once; unknown names are all reported', async (t) => {
  const { takes } = await deskWith({ 'i-1': [{ provider_instance: 'east' }] });
  t.deepEqual(await takes('i-1', 'east/i-1', 'i-1', { provider_instance: 'east', machine_id: 'i-1' }), ['east/i-1']);
  const { code, details } = await refusalOf(
    takes('i-1', 'west/i-1', 'i-9', { provider_instance: 'west', machine_id: 'i-1' }),
  );
  t.is(code, 'MACHINE_NOT_FOUND');
  t.deepEqual(details['machine_ids'], ['west/i-1', 'i-9']);
});

test('all living machines are returned by their keys, so that no id is ambiguous', async (t) => {
  const { takes, inventory } = await deskWith({
    'i-1': [{ provider_instance: 'east' }, { provider_instance: 'west' }],
    'i-2': [{ provider_instance: 'east', going: 'returned' }],
    'i-3': [{ provider_instance: 'east', gone_at: 3 }],
  });
  t.deepEqual(await takes(...(await inventory.living()).machines), ['east/i-1', 'west/i-1']);
});

test('a host name selects all living machines with the name, else the newest', async (t) => {
  const { inventory } = await deskWith({
    'i-1': [
      { provider_instance: 'east', name: 'host-1' },
      { provider_instance: 'west', name: 'host-2' },
    ],
    'i-2': [
      { provider_instance: 'east', name: 'host-3', created_at: 9, gone_at: 10 },
      { provider_instance: 'west', name: 'host-3', created_at: 5 },
    ],
  });
  const keys = async (ids: readonly string[], names: readonly string[]) =>
    (await inventory.hosts(ids, names)).machines.map(
      ({ provider_instance, machine_id }) => `${provider_instance}/${machine_id}`,
    );
  t.deepEqual(await keys(['i-1'], []), ['east/i-1', 'west/i-1']);
  t.deepEqual(await keys([], ['host-3']), ['west/i-2']);
  t.deepEqual(await keys(['i-2'], ['host-2']), ['west/i-2', 'west/i-1']);
});
