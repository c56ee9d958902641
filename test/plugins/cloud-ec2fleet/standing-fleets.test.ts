import test from 'ava';
import { ec2Fleet } from '../../../plugins/cloud-ec2fleet/index.ts';
import { fleetStage, ways } from '../cloud/fleet-support.ts';
import { prepared, stage } from '../cloud/support.ts';

const template = { template_id: 't', machine_types: { 'm5.large': 1 }, tags: { team: 'blue' } };
const maintain = ways.find((way) => way.name === 'EC2Fleet maintain') ?? ways[0];
const request = ways.find((way) => way.name === 'EC2Fleet request') ?? ways[0];

test('the launch template tags machines, the call tags the fleet, and a repeated preparation returns the same', async (t) => {
  const cloud = await stage();
  t.teardown(cloud.close);
  const order = await prepared(ec2Fleet, cloud, { template: { ...template, fleet_type: 'maintain' } as any });
  const { input, template: used } = order.prepared;
  t.deepEqual(
    input.TagSpecifications.map((each: { ResourceType: string }) => each.ResourceType),
    ['fleet'],
  );
  const { LaunchTemplateVersions } = await cloud.session.read(
    (ec2) => new ec2.DescribeLaunchTemplateVersionsCommand({ LaunchTemplateId: used.id, Versions: ['1'] }),
    cloud.call,
  );
  const specifications = LaunchTemplateVersions?.[0]?.LaunchTemplateData?.TagSpecifications ?? [];
  t.deepEqual(specifications.map((each) => each.ResourceType).toSorted(), ['instance', 'volume']);
  const keys = specifications[0]?.Tags?.map((tag) => tag.Key) ?? [];
  for (const key of ['team', 'muster:request-id', 'muster:attempt', 'muster:installation']) t.true(keys.includes(key));

  const again = await ec2Fleet.prepare?.(cloud.session, { ...order, prepared: undefined }, cloud.call);
  t.deepEqual(JSON.parse(JSON.stringify(again)), order.prepared);
  t.is(cloud.calls('CreateLaunchTemplate'), 1);
});

test('two orders of equal contents have a launch template each', async (t) => {
  const cloud = await stage();
  t.teardown(cloud.close);
  const orders = await Promise.all(
    [1, 2].map(() => prepared(ec2Fleet, cloud, { template: { ...template, fleet_type: 'request' } as any })),
  );
  t.is(new Set(orders.map((order) => order.prepared.template.id)).size, 2);
  for (const order of orders) {
    // One broke off before its preparation was stored.
    const left = order === orders[0] ? order : { ...order, prepared: undefined };
    t.deepEqual(await ec2Fleet.dispose?.(cloud.session, { order: left as any }, cloud.call), { done: true });
  }
  t.deepEqual(cloud.simulator.ledger().templates, []);
});

test('a native specification cannot make a fleet that ends machines by itself, or another fleet', async (t) => {
  const cloud = await stage();
  t.teardown(cloud.close);
  const provider_api_spec = {
    Type: 'instant',
    ExcessCapacityTerminationPolicy: 'termination',
    TerminateInstancesWithExpiration: true,
    TargetCapacitySpecification: { TotalTargetCapacity: 99 },
    Context: 'theirs',
  };
  const order = await prepared(ec2Fleet, cloud, {
    machine_count: 2,
    template: { ...template, fleet_type: 'maintain', provider_api_spec } as any,
  });
  t.like(order.prepared.input, {
    Type: 'maintain',
    ExcessCapacityTerminationPolicy: 'no-termination',
    TerminateInstancesWithExpiration: false,
    TargetCapacitySpecification: { TotalTargetCapacity: 2 },
    Context: 'theirs',
  });
});

test('no machine is terminated before the cloud shows the lower target of its fleet', async (t) => {
  if (!maintain) return t.fail();
  const fleet = await fleetStage(maintain, 3);
  t.teardown(fleet.close);
  await fleet.launch();
  await fleet.settle();
  const [first = '', ...stay] = fleet.live();
  const aim = { go: fleet.refs(first), stay: fleet.refs(...stay), incoming: 0 };
  const release = () => ec2Fleet.release(fleet.session, fleet.handle as any, aim, fleet.call);
  t.false((await release()).done);
  t.false((await release()).done);
  t.is(fleet.calls('ModifyFleet'), 1, 'not again while the fleet is modifying');
  t.is(fleet.calls('TerminateInstances'), 0);
  fleet.simulator.advance(1_500);
  t.true((await release()).done);
  t.is(fleet.calls('TerminateInstances'), 1);
});

test('machines of a complete fleet of type request are terminated without a change of the fleet', async (t) => {
  if (!request) return t.fail();
  const fleet = await fleetStage(request, 3);
  t.teardown(fleet.close);
  await fleet.launch();
  await fleet.settle();
  const [first = '', ...stay] = fleet.live();
  t.is(await fleet.release({ go: fleet.refs(first), stay: fleet.refs(...stay), incoming: 0 }), 1);
  t.is(fleet.calls('DeleteFleets'), 0);
});

test('a thousand machines of a fleet of type maintain are released in few calls', async (t) => {
  if (!maintain) return t.fail();
  const fleet = await fleetStage(maintain, 1_000);
  t.teardown(fleet.close);
  await fleet.launch();
  await fleet.settle();
  const live = fleet.live();
  t.is(live.length, 1_000);
  const started = performance.now();
  const [keep = '', ...go] = live;
  const said = await fleet.release({ go: fleet.refs(...go), stay: fleet.refs(keep), incoming: 0 });
  t.true(said <= 4);
  t.true(performance.now() - started < 10_000);
  t.true(fleet.calls('TerminateInstances') <= 3);
  fleet.simulator.advance(60_000);
  t.deepEqual(fleet.live(), [keep]);
});
