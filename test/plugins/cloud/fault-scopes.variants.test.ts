import test, { type ExecutionContext } from 'ava';
import type { KnobChange } from '../../../plugins/cloud-simulator/knobs/knobs.ts';
import { bootBroker, type BootedBroker } from '../../support/boot-broker.ts';
import { variants } from '../../support/variants.ts';

const base = { image_id: 'ami-1', machine_type: 't3.small', subnet_ids: ['subnet-1'] };
const plugins = [
  'cloud',
  'cloud-runinstances',
  'cloud-ec2fleet',
  'cloud-asg',
  'default-format',
  'hostfactory-format',
  'storage-memory',
];

// The probe is short, so that no test waits for an offer without capacity.
async function boot(
  t: ExecutionContext,
  templates: readonly object[],
  knobs: KnobChange = {},
  offer_probe_ms = 200,
): Promise<BootedBroker> {
  const booted = await bootBroker({
    storage: 'memory',
    configuration: { plugins },
    settings: { offer_probe_ms },
    knobs,
    templates: templates.map((each) => ({ ...base, ...each })),
  });
  t.teardown(booted.close);
  return booted;
}

async function outcome({ call, until }: BootedBroker, template_id: string, machine_count = 1) {
  const { body } = await call('POST', '/machines/request', { template_id, machine_count });
  if (body.request_id === undefined) throw new Error(JSON.stringify(body));
  return until(async () => {
    const status = await call('GET', `/requests/${body.request_id}/status`);
    return /completed|failed/.test(status.body.status) ? status.body : undefined;
  });
}

const healthOf = async ({ call }: BootedBroker) => (await call('GET', '/providers/east')).body.status;

const quick: KnobChange = {
  fleets: { start_ms: 20, launch_ms: 20, retry_ms: 100, modify_ms: 20, notice_ms: 20, stale_ms: 0, history_ms: 0 },
  groups: { react_ms: 20, health_ms: 50, retry_ms: 50, delete_ms: 20 },
};

const refusals = ['OptInRequired', 'UnauthorizedOperation', 'AuthFailure.ServiceLinkedRoleCreationNotPermitted'];
for (const code of refusals)
  for (const [provider_api, action] of variants([
    ['RunInstances', 'RunInstances'],
    ['EC2Fleet', 'CreateFleet'],
  ] as const))
    test(`${provider_api}: ${code} of four templates fails their requests, and never takes the instance down`, async (t) => {
      const bad = ['bad-1', 'bad-2', 'bad-3', 'bad-4'];
      const broker = await boot(
        t,
        [...bad, 'good'].map((template_id) => ({ template_id, provider_api })),
        { faults: [{ action, times: bad.length, effect: 'skip', then: 'error', code }] },
      );
      for (const template_id of bad) {
        const status = await outcome(broker, template_id);
        t.is(status.status, 'failed');
        t.like(status.fulfilment.shortfall[0], { kind: 'invalid', code });
        t.regex(status.message, /(Marketplace|Grant the permission|Create the service-linked role).* Error Code: /);
      }
      t.is((await outcome(broker, 'good')).status, 'completed');
      t.deepEqual(await healthOf(broker), 'healthy');
    });

test('a permission for a parameter that a template names concerns the template alone', async (t) => {
  const bad = ['bad-1', 'bad-2', 'bad-3', 'bad-4'];
  const broker = await boot(
    t,
    [
      ...bad.map((template_id) => ({ template_id, image_id: `resolve:ssm:/images/${template_id}` })),
      { template_id: 'good' },
    ].map((each) => ({ ...each, provider_api: 'RunInstances' })),
    { auth: { denied: [{ action: 'GetParameter' }] } },
  );
  for (const template_id of bad) {
    const status = await outcome(broker, template_id);
    t.like(status.fulfilment.shortfall[0], { kind: 'invalid', code: 'AccessDeniedException' });
  }
  t.is((await outcome(broker, 'good')).status, 'completed');
  t.deepEqual(await healthOf(broker), 'healthy');
});

const noSpotRole = 'AuthFailure.ServiceLinkedRoleCreationNotPermitted';
const thrownOnce = (action: string, times: number): KnobChange => ({
  faults: [{ action, times, effect: 'skip', then: 'error', code: noSpotRole }],
});
const reported: KnobChange = { capacity: [{ market: 'spot', count: 0, code: noSpotRole }] };
const wide = { machine_type: undefined, machine_types: { 't3.small': 1, 't3.medium': 1, 't3.large': 1 } };

for (const [way, provider_api, knobs, fields] of [
  ['an instant fleet', 'EC2Fleet', thrownOnce('CreateFleet', 1), {}],
  ['an instant fleet that reports an error of each pool', 'EC2Fleet', reported, {}],
  ['an instant fleet with an on-demand share', 'EC2Fleet', reported, { percent_on_demand: 50 }],
  ['an instant fleet of many types', 'EC2Fleet', reported, wide],
  ['a direct launch', 'RunInstances', thrownOnce('RunInstances', 1), {}],
  ['a direct launch of one of many types', 'RunInstances', thrownOnce('RunInstances', 1), wide],
  ['a direct launch of Spot machines alone that are refused', 'RunInstances', reported, wide],
] as const)
  test(`without the role of Spot ${way} starts On-Demand machines`, async (t) => {
    const template = { template_id: 'mixed', provider_api, price_type: 'mixed', ...fields };
    const broker = await boot(t, [template], knobs);
    const status = await outcome(broker, 'mixed', 2);
    t.is(status.status, 'completed', status.message);
    t.deepEqual(
      status.machines.map(({ market }: { market: string }) => market),
      ['ondemand', 'ondemand'],
    );
    t.true(broker.simulator.audit().filter(({ action }) => /^(CreateFleet|RunInstances)$/.test(action)).length <= 3);
    t.is(await healthOf(broker), 'healthy');
  });

for (const provider_api of ['EC2Fleet', 'RunInstances'])
  test(`${provider_api}: without the role of Spot a request for Spot machines alone fails with one call`, async (t) => {
    const broker = await boot(t, [{ template_id: 'spot', provider_api, price_type: 'spot', ...wide }], reported);
    const status = await outcome(broker, 'spot', 2);
    t.is(status.status, 'failed');
    t.like(status.fulfilment.shortfall[0], { kind: 'invalid', code: noSpotRole });
    t.is(broker.simulator.audit().filter(({ action }) => /^(CreateFleet|RunInstances)$/.test(action)).length, 1);
  });

for (const provider_api of variants(['RunInstances', 'EC2Fleet', 'ASG']))
  test(`${provider_api}: machines that end with Client.InternalError fail the request, and the message names KMS`, async (t) => {
    const broker = await boot(t, [{ template_id: 'sealed', provider_api, timeout: 60 }], {
      late_failures: [{ times: null, code: 'Client.InternalError', after_ms: 20 }],
      groups: { react_ms: 20, health_ms: 50, retry_ms: 50, delete_ms: 20 },
    });
    const status = await outcome(broker, 'sealed');
    t.is(status.status, 'failed');
    t.like(status.fulfilment.shortfall[0], { kind: 'invalid', code: 'Client.InternalError' });
    t.regex(status.fulfilment.shortfall[0].message, /KMS key/);
  });

test('an instant fleet that gives up early gets its machines from pools that it reported and never tried', async (t) => {
  const types = ['t3.micro', 't3.small', 't3.medium', 't3.large', 'm5.large', 'c5.large', 'r5.large', 'm5.xlarge'];
  const broker = await boot(
    t,
    [
      {
        template_id: 'wide',
        provider_api: 'EC2Fleet',
        machine_type: undefined,
        machine_types: Object.fromEntries(types.map((type) => [type, 1])),
        machine_types_priority: Object.fromEntries(types.map((type, index) => [type, index])),
      },
    ],
    { capacity: types.slice(0, -1).map((instance_type) => ({ instance_type, count: 0 })) },
    15_000,
  );
  const status = await outcome(broker, 'wide', 2);
  t.is(status.status, 'completed');
  t.deepEqual(
    status.machines.map(({ machine_type }: { machine_type: string }) => machine_type),
    ['m5.xlarge', 'm5.xlarge'],
  );
  t.is(broker.simulator.audit().filter(({ action }) => action === 'CreateFleet').length, 3);
});

test('a price that is too low in one template leaves the offer in its place for the others', async (t) => {
  const shared = { provider_api: 'RunInstances', price_type: 'spot' };
  const broker = await boot(t, [
    { template_id: 'cheap', ...shared, max_price: 0.0011 },
    { template_id: 'fair', ...shared },
  ]);
  const cheap = await outcome(broker, 'cheap');
  t.like(cheap.fulfilment.shortfall[0], { kind: 'capacity', code: 'SpotMaxPriceTooLow', lack: 'terms' });
  const { body } = await broker.call('GET', '/providers/east/capabilities');
  t.deepEqual(body.offers_without_capacity ?? body.capabilities.offers_without_capacity, []);
  t.is((await outcome(broker, 'fair')).status, 'completed');
});

test('a true lack of capacity is remembered for all templates', async (t) => {
  const broker = await boot(t, [{ template_id: 'one', provider_api: 'EC2Fleet' }], { capacity: [{ count: 0 }] });
  const one = await outcome(broker, 'one');
  t.like(one.fulfilment.shortfall[0], { kind: 'capacity', code: 'InsufficientInstanceCapacity' });
  t.is(one.fulfilment.shortfall[0].lack, undefined);
  const { body } = await broker.call('GET', '/providers/east/capabilities');
  t.is((body.offers_without_capacity ?? body.capabilities.offers_without_capacity).length, 1);
});

for (const [way, fields] of [
  ['a fleet', { provider_api: 'EC2Fleet' }],
  ['a group', { provider_api: 'ASG' }],
  ['a mixed group', { provider_api: 'ASG', price_type: 'mixed', percent_on_demand: 50 }],
] as const)
  test(`${way} of a type that no zone of the template offers ends as a lack of capacity`, async (t) => {
    const broker = await boot(
      t,
      [{ template_id: 'rare', ...fields, machine_type: 'p5.48xlarge', subnet_ids: undefined }],
      {
        capacity: [{ count: 0, code: 'InvalidFleetConfiguration' }],
        ...quick,
      },
    );
    const { status, fulfilment } = await outcome(broker, 'rare', 2);
    t.is(status, 'failed');
    t.is(fulfilment.shortfall[0].kind, 'capacity');
  });

for (const fleet_type of ['request', 'maintain'])
  test(`a ${fleet_type} fleet beyond the target capacity of the account fails by a quota`, async (t) => {
    const broker = await boot(t, [{ template_id: 'many', provider_api: 'EC2Fleet', fleet_type }], {
      quotas: { fleet_capacity: 1 },
      ...quick,
    });
    const { status, fulfilment } = await outcome(broker, 'many', 2);
    t.is(status, 'failed');
    t.like(fulfilment.shortfall[0], { kind: 'quota', code: 'MaxFleetTargetCapacityExceeded' });
  });
