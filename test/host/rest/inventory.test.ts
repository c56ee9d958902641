import test, { type ExecutionContext } from 'ava';
import type { MachineRecord } from '../../../core/model/machine.ts';
import { bootBroker, type BootedBroker } from '../../support/boot-broker.ts';

const born = Date.UTC(2026, 0, 15);

const machine = (machine_id: string, fields: Partial<MachineRecord> = {}): MachineRecord => ({
  provider_instance: 'east',
  machine_id,
  request_id: 'req-1',
  attempt: 1,
  template_id: 'small',
  status: 'running',
  machine_type: 't3.small',
  market: 'on-demand',
  zone: 'us-east-1a',
  created_at: born,
  ...fields,
});

/** Stored out of order, and some at the same moment at two instances. */
const machines = [
  machine('i-4', { created_at: born + 2, market: 'spot', zone: 'us-east-1b' }),
  machine('i-1', { provider_instance: 'west', request_id: 'req-2' }),
  machine('i-3', {
    created_at: born + 1,
    template_id: 'fleet',
    market: 'capacity-block',
    machine_type: 'p5.48xlarge',
  }),
  machine('i-2', { status: 'pending' }),
  machine('i-0', { created_at: born - 5, status: 'terminated', gone_at: born }),
  machine('i-5', { created_at: born + 3, provider_instance: 'west', status: 'shutting-down' }),
];

async function stocked(t: ExecutionContext, storage: 'sqlite' | 'memory' = 'sqlite'): Promise<BootedBroker> {
  const broker = await bootBroker({ storage, loop: 'none' });
  t.teardown(() => broker.close());
  await broker.broker.store.commit(machines.map((record) => ({ op: 'put', kind: 'machine', record })));
  return broker;
}

const ids = ({ body }: { readonly body: any }): string[] =>
  body.machines.map((each: { machine_id: string }) => each.machine_id);

const filters: readonly (readonly [query: string, found: readonly string[]])[] = [
  ['', ['i-1', 'i-2', 'i-3', 'i-4', 'i-5']],
  ['all_resources=true', ['i-0', 'i-1', 'i-2', 'i-3', 'i-4', 'i-5']],
  ['status=terminated', ['i-0']],
  ['status=running', ['i-1', 'i-3', 'i-4']],
  ['template_id=fleet', ['i-3']],
  ['provider_instance=west', ['i-1', 'i-5']],
  ['providerInstance=west&status=running', ['i-1']],
  ['request_id=req-2', ['i-1']],
  ['market=spot', ['i-4']],
  ['market=ondemand', ['i-1', 'i-2', 'i-5']],
  ['market=on-demand', ['i-1', 'i-2', 'i-5']],
  ['market=on_demand&all_resources=true', ['i-0', 'i-1', 'i-2', 'i-5']],
  ['market=capacity_block', ['i-3']],
  ['market=capacity-block', ['i-3']],
  ['sort=machine_id:desc', ['i-5', 'i-4', 'i-3', 'i-2', 'i-1']],
  ['page=2&page_size=2', ['i-3', 'i-4']],
  ['limit=3', ['i-1', 'i-2', 'i-3']],
];
for (const storage of ['sqlite', 'memory'] as const)
  test(`machines are listed by creation and id, and filtered (${storage})`, async (t) => {
    const broker = await stocked(t, storage);
    for (const [query, found] of filters)
      for (const path of ['/inventory', '/inventory/']) {
        const answer = await broker.call('GET', `${path}${query === '' ? '' : `?${query}`}`);
        t.is(answer.status, 200, JSON.stringify(answer.body));
        t.deepEqual(ids(answer), found, query);
      }
    t.like((await broker.call('GET', '/inventory/?limit=2')).body, { count: 2, total_count: 5 });
  });

test('a machine is shown with its type, market and zone, in the list and by itself', async (t) => {
  const broker = await stocked(t);
  const shown = { machine_id: 'i-3', machine_type: 'p5.48xlarge', market: 'capacity_block', zone: 'us-east-1a' };
  t.like((await broker.call('GET', '/inventory/?template_id=fleet')).body.machines[0], shown);
  t.like((await broker.call('GET', '/inventory/i-3')).body, { machine: shown });
  t.like((await broker.call('GET', '/inventory/i-4')).body.machine, { market: 'spot', zone: 'us-east-1b' });
  t.is((await broker.call('GET', '/inventory/i-1')).body.machine.market, 'ondemand');
});

test('errors in a query for machines are reported, and an unknown machine is 404', async (t) => {
  const broker = await stocked(t);
  const wrong = {
    'market=sport': /^\/market: must be one of ondemand, spot, capacity_block/,
    'status=gone': /^\/status: /,
    'sort=zone': /^\/sort: /,
  };
  for (const [query, detail] of Object.entries({
    ...wrong,
    'name=east': /^\/name: unknown field/,
    'limit=1&page_size=1': /\/limit: /,
  })) {
    const { status, body } = await broker.call('GET', `/inventory/?${query}`);
    t.is(status, 400, query);
    t.regex(body.detail, detail);
  }
  const { status, body } = await broker.call('GET', '/inventory/i-none');
  t.deepEqual([status, body.code], [404, 'MACHINE_NOT_FOUND']);
});

test('the planned routes of machines stay 501 and name those that are served', async (t) => {
  const broker = await stocked(t);
  for (const path of ['/machines', '/machines/', '/machines/i-1']) {
    const { status, body } = await broker.call('GET', path);
    t.is(status, 501);
    t.regex(
      body.detail,
      /GET \/api\/v1\/inventory\/ \[list_machines\].*GET \/api\/v1\/inventory\/\{machine_id\} \[get_machine\]/,
    );
  }
});

test('every interface lists machines in the same order, with type, market and zone', async (t) => {
  const broker = await bootBroker({ storage: 'memory', loop: 'none' });
  t.teardown(() => broker.close());
  const { body } = await broker.call('POST', '/machines/request', { template_id: 'small', machine_count: 6 });
  const { request_id } = body;
  await broker.broker.store.commit(
    machines.map((each) => ({ op: 'put', kind: 'machine', record: { ...each, request_id, ready_at: born } })),
  );
  const order = ['i-0', 'i-1', 'i-2', 'i-3', 'i-4', 'i-5'];
  t.deepEqual(ids(await broker.call('GET', '/inventory/?all_resources=true')), order);
  const status = await broker.call('GET', `/requests/${request_id}`);
  t.deepEqual(ids(status), order);
  t.like(status.body.machines[3], { machine_type: 'p5.48xlarge', market: 'capacity_block', zone: 'us-east-1a' });
  const theirs = await broker.call('GET', `/requests/${request_id}`, undefined, { 'x-scheduler': 'hostfactory' });
  t.deepEqual(
    theirs.body.requests[0].machines.map((each: any) => each.machineId),
    order,
  );
  t.deepEqual(
    theirs.body.requests[0].machines.map((each: any) => each.priceType),
    [...'ooooso'].map((c) => (c === 's' ? 'spot' : 'ondemand')),
  );
  // Given back in another order than they came in.
  const returned = await broker.call('POST', '/machines/return', { machine_ids: order.toReversed() });
  t.deepEqual(ids(await broker.call('GET', `/requests/${returned.body.request_id}`)), order);
  const reclaimed = await broker.broker.store.find('machine', {});
  await broker.broker.store.commit(
    reclaimed.map((each) => ({ op: 'put', kind: 'machine', record: { ...each, lost: true } })),
  );
  t.deepEqual(ids(await broker.call('POST', '/machines/reclaimed', { machine_ids: order.toReversed() })), order);
});
