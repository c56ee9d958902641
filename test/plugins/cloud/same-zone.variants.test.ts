import test from 'ava';
import type { ProviderApi } from '../../../core/index.ts';
import { ec2Fleet } from '../../../plugins/cloud-ec2fleet/index.ts';
import { spotFleet } from '../../../plugins/cloud-spotfleet/index.ts';
import { chooseSubnets, withLeftOut } from '../../../plugins/cloud/launch/one-per-zone.ts';
import { poolsOf } from '../../../plugins/cloud/launch/pools.ts';
import { bootBroker } from '../../support/boot-broker.ts';
import { fastClock } from '../../support/fast-clock.ts';
import { ways as standing } from './fleet-support.ts';
import { prepared, stage } from './support.ts';
import { variants } from '../../support/variants.ts';

// The simulated cloud puts the first two into us-east-1c, the third into us-east-1b.
const [small, large, elsewhere] = ['subnet-2', 'subnet-3', 'subnet-1'] as const;
const subnet_ids = [small, large, elsewhere];

const ways: readonly (readonly [name: string, api: string, template: object])[] = [
  ['RunInstances', 'RunInstances', {}],
  ['EC2Fleet instant', 'EC2Fleet', {}],
  ['ASG', 'ASG', {}],
  ...standing.map((way) => [way.name, way.api.name, { fleet_type: way.fleet_type, price_type: 'spot' }] as const),
];

for (const [name, provider_api, more] of variants(ways, 3)) {
  test(`${name}: a request gets the machines of all subnets, also of two in one zone`, async (t) => {
    t.timeout(300_000);
    const broker = await bootBroker({
      clock: fastClock(60),
      knobs: {
        addresses: [
          { subnet_id: small, count: 2 },
          { subnet_id: large, count: 3 },
          { subnet_id: elsewhere, count: 1 },
        ],
        fleets: { start_ms: 20, launch_ms: 50, retry_ms: 200, modify_ms: 50, notice_ms: 100, history_ms: 0 },
        groups: { react_ms: 20, health_ms: 200, retry_ms: 200, delete_ms: 20 },
      } as any,
      templates: [
        { template_id: 'wide', provider_api, image_id: 'ami-1', machine_type: 't3.small', subnet_ids, ...more },
      ],
      configuration: {
        storage: { type: 'memory' },
        plugins: [
          'cloud',
          'cloud-runinstances',
          'cloud-ec2fleet',
          'cloud-spotfleet',
          'cloud-asg',
          'default-format',
          'storage-memory',
        ],
      },
    });
    t.teardown(broker.close);
    const { call, until, simulator } = broker;
    const { body } = await call('POST', '/machines/request', { template_id: 'wide', machine_count: 6 });
    const ended = await until(async () => {
      const status = (await call('GET', `/requests/${body.request_id}/status`)).body;
      const [request] = status.requests ?? [status];
      return /complete|failed|cancelled/.test(request.status) && request;
    });
    t.is(ended.status, 'completed', ended.message);
    t.is(simulator.ledger().live[body.request_id]?.length, 6);
  });
}

const fleets: readonly (readonly [string, ProviderApi, object])[] = [
  ['EC2Fleet', ec2Fleet, {}],
  ['EC2Fleet maintain', ec2Fleet, { fleet_type: 'maintain' }],
  ['SpotFleet', spotFleet, { price_type: 'spot' }],
];
for (const [name, api, more] of fleets) {
  test(`${name}: an order uses the subnet of a zone that has the most free addresses; the next order uses the other`, async (t) => {
    const cloud = await stage({}, {}, { knobs: { addresses: [{ subnet_id: small, count: 50 }] } });
    t.teardown(cloud.close);
    const template = { template_id: 't', machine_types: { 'm5.large': 1, 'c5.large': 1 }, subnet_ids, ...more } as any;
    const order = await prepared(api, cloud, { template });
    const keys = (of: typeof order) => of.prepared.pools.map(({ key }: { key: string }) => key.split('|')[1]);
    t.deepEqual(new Set(keys(order)), new Set([large, elsewhere]));
    t.deepEqual(order.prepared.left_out, [{ zone: 'us-east-1c', used: large, others: [small] }]);
    await t.notThrowsAsync(async () => api.launch(cloud.session, order, cloud.call));
    const left = order.offers?.filter(({ key }) => !order.prepared.pools.some((pool: any) => pool.key === key)) ?? [];
    const next = await prepared(api, cloud, { template, offers: left });
    t.deepEqual(new Set(keys(next)), new Set([small]));
    t.is(next.prepared.left_out, undefined);
  });
}

test('subnets in zones of their own, one subnet and no subnet are used as they are', async (t) => {
  const cloud = await stage();
  t.teardown(cloud.close);
  for (const each of [[small, elsewhere], [small], undefined]) {
    const order = await prepared(ec2Fleet, cloud, { template: { template_id: 't', subnet_ids: each } as any });
    t.is(order.prepared.pools.length, each?.length ?? 1);
    t.is(order.prepared.left_out, undefined);
  }
  t.is(cloud.calls('DescribeSubnets'), 1);
});

test('subnets that may not be described, or do not exist, do not stop a launch into the others', async (t) => {
  const cloud = await stage();
  t.teardown(cloud.close);
  cloud.simulator.setKnobs({ auth: { denied: [{ action: 'DescribeSubnets' }] } });
  const far = await prepared(ec2Fleet, cloud, {
    template: { template_id: 't', subnet_ids: [small, elsewhere] } as any,
  });
  t.is((await ec2Fleet.launch(cloud.session, far, cloud.call)).machines?.length, 1);
  cloud.simulator.setKnobs({ auth: { denied: [] }, strict_ids: true });
  const listed = ['subnet-0e24c7ca3264c9054', 'subnet-0none'];
  const template = { template_id: 't', image_id: 'ami-067bea1a7acde1586', subnet_ids: listed } as any;
  const near = await prepared(ec2Fleet, cloud, { template });
  t.is((await ec2Fleet.launch(cloud.session, near, cloud.call)).machines?.length, 1);
});

test('without the permission to describe subnets an order uses one subnet, until the permission is granted', async (t) => {
  const cloud = await stage();
  t.teardown(cloud.close);
  cloud.simulator.setKnobs({ auth: { denied: [{ action: 'DescribeSubnets' }] } });
  const template = { template_id: 't', machine_types: { 'm5.large': 1, 'c5.large': 1 }, subnet_ids } as any;
  const usedBy = (order: any) => new Set(order.prepared.pools.map((pool: any) => pool.subnet_id));
  const first = await prepared(ec2Fleet, cloud, { template });
  t.deepEqual(usedBy(first), new Set([small]));
  t.is(first.prepared.pools.length, 2);
  t.deepEqual(first.prepared.left_out, [{ used: small, others: [large, elsewhere] }]);
  t.is((await ec2Fleet.launch(cloud.session, first, cloud.call)).machines?.length, 1);
  cloud.simulator.setKnobs({ auth: { denied: [] } });
  const second = await prepared(ec2Fleet, cloud, { template });
  t.deepEqual([usedBy(second).size, usedBy(second).has(elsewhere)], [2, true]);
});

test('a subnet of more markets comes before one with more addresses: all markets of a fleet share its subnets', (t) => {
  const template = { machine_type: 'm5.large', subnet_ids: [small, large], price_type: 'mixed' } as any;
  const pools = poolsOf(template);
  const zones = new Map([small, large].map((id) => [id, 'us-east-1c']));
  const free = new Map([
    [small, 5],
    [large, 50],
  ]);
  const used = (offered: typeof pools) => chooseSubnets(offered, zones, free).pools.map(({ key }) => key);
  t.deepEqual(used(pools), ['m5.large|subnet-3|spot', 'm5.large|subnet-3|on-demand']);
  t.deepEqual(used(pools.filter(({ key }) => key !== 'm5.large|subnet-3|spot')), [
    'm5.large|subnet-2|spot',
    'm5.large|subnet-2|on-demand',
  ]);
});

test('a shortfall says which subnets the order left out', (t) => {
  const pools = poolsOf({ machine_type: 'm5.large', subnet_ids: [large, elsewhere] } as any);
  const left = [{ zone: 'us-east-1c', used: large, others: [small] }];
  const short = pools.map(({ key }) => ({
    offer: key,
    kind: 'capacity' as const,
    code: 'InsufficientInstanceCapacity',
    message: 'CreateFleet: No room. Error Code: InsufficientInstanceCapacity',
  }));
  t.deepEqual(
    withLeftOut(short, pools, left).map(({ message }) => message),
    [
      'CreateFleet: No room. A fleet uses one subnet of a zone; of us-east-1c it used subnet-3, and left subnet-2 for a later order. Error Code: InsufficientInstanceCapacity',
      'CreateFleet: No room. Error Code: InsufficientInstanceCapacity',
    ],
  );
});

test('more subnets than a region has zones are reported for fleets', (t) => {
  const template = { template_id: 't', image_id: 'ami-1', machine_type: 'm5.large' };
  const of = (count: number) =>
    ec2Fleet.review?.({ ...template, subnet_ids: Array.from({ length: count }, (_, at) => `subnet-${at}`) } as any);
  t.deepEqual(of(6), []);
  t.like(of(7)?.[0], { level: 'warning', path: '/subnet_ids' });
});
