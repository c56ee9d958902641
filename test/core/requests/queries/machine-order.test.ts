import test from 'ava';
import type { MachineRecord, RequestRecord } from '../../../../core/index.ts';
import { listMachines } from '../../../../core/operations/machines/machines.ts';
import { detailOf } from '../../../../core/requests/queries/detail.ts';
import { Inventory } from '../../../../core/requests/queries/inventory.ts';
import { loopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';

const request: RequestRecord = {
  request_id: 'req-1',
  kind: 'provision',
  status: 'completed',
  template_id: 'small',
  machine_count: 4,
  holds: 4,
  delivered: 4,
  message: '',
  created_at: 1,
  deadline_at: 1,
  next_at: null,
  version: 1,
  epoch: 0,
};
const machine = (machine_id: string, created_at: number, provider_instance: string): MachineRecord => ({
  provider_instance,
  machine_id,
  request_id: 'req-1',
  attempt: 1,
  template_id: 'small',
  status: 'running',
  created_at,
  ready_at: created_at,
});
const machines = [
  machine('i-4', 9, 'west'),
  machine('i-3', 5, 'east'),
  machine('i-2', 9, 'east'),
  machine('i-1', 9, 'west'),
];
const inOrder = ['i-3', 'i-1', 'i-2', 'i-4'];

test('every list sorts machines by creation, then by id', async (t) => {
  const bench = await loopBench({ east: new ScriptedCloud() });
  const { store, clock } = bench;
  const signal = {
    signal_id: 'w',
    kind: 'return',
    request_id: 'req-1',
    return_id: 'ret-1',
    machines,
    created_at: 1,
    applied: true,
  } as const;
  const keys = machines.map(({ machine_id, provider_instance }) => ({ machine_id, provider_instance }));
  const returned: RequestRecord = { ...request, request_id: 'ret-1', kind: 'return', origins: ['req-1'] };
  await store.commit([
    { op: 'insert', kind: 'request', record: request },
    { op: 'insert', kind: 'request', record: returned },
    { op: 'insert', kind: 'signal', record: { ...signal, machines: keys } },
    ...machines.map((record) => ({ op: 'put', kind: 'machine', record }) as const),
  ]);
  const idsOf = (list: readonly { readonly machine_id: string }[] = []) => list.map(({ machine_id }) => machine_id);
  t.deepEqual(idsOf((await detailOf(store, request)).machines), inOrder);
  t.deepEqual(idsOf((await detailOf(store, returned)).machines), inOrder);
  // The answer names the returned machines as the caller did.
  t.deepEqual(idsOf((await detailOf(store, returned)).machine_keys), ['i-4', 'i-3', 'i-2', 'i-1']);
  const services = { inventory: new Inventory(store, clock), clock } as unknown as Parameters<
    typeof listMachines.handle
  >[1];
  const listed = (await listMachines.handle({}, services, {})) as {
    readonly machines: readonly { readonly machine_id: string }[];
  };
  t.deepEqual(idsOf(listed.machines), inOrder);
  await bench.close();
});
