import test from 'ava';
import type { ProviderApi } from '../../../core/index.ts';
import { asg } from '../../../plugins/cloud-asg/index.ts';
import { ec2Fleet } from '../../../plugins/cloud-ec2fleet/index.ts';
import { spotFleet } from '../../../plugins/cloud-spotfleet/index.ts';
import { machineParameters } from '../../../plugins/cloud/template/machine-parameters.ts';
import { templateStage } from './launch-template-support.ts';

const ways: readonly (readonly [string, ProviderApi, object])[] = [
  ['EC2Fleet instant', ec2Fleet, {}],
  ['EC2Fleet request', ec2Fleet, { fleet_type: 'request' }],
  ['SpotFleet maintain', spotFleet, { fleet_type: 'maintain', price_type: 'spot' }],
];
for (const [name, api, more] of ways) {
  test(`${name}: configurations that name types and no launch template get that of the order`, async (t) => {
    const cloud = await templateStage(t, {}, { boot_ms: 1_000 });
    const LaunchTemplateConfigs = [
      { Overrides: [{ InstanceType: 'c5.large', SubnetId: 'subnet-1' }] },
      { Overrides: [{ InstanceType: 'c5.xlarge', SubnetId: 'subnet-2' }] },
    ];
    const template = { ...more, machine_type: undefined, provider_api_spec: { LaunchTemplateConfigs } };
    t.deepEqual(
      api
        .review?.({ template_id: 't', image_id: 'ami-1', ...template } as any)
        .filter(({ level }) => level === 'error'),
      [],
    );
    const order = await cloud.order(api, { machine_count: 2, template: template as any });
    const { id, version } = order.prepared.template;
    t.deepEqual(
      order.prepared.input.LaunchTemplateConfigs,
      LaunchTemplateConfigs.map((each) => ({
        ...each,
        LaunchTemplateSpecification: { LaunchTemplateId: id, Version: version },
      })),
    );
    await api.launch(cloud.session, order, cloud.call);
    cloud.simulator.advance(60_000);
    t.is(cloud.simulator.ledger().live[order.request_id]?.length, 2);
  });
}

test('a standing fleet always uses the launch template of muster, an instant fleet the named one', async (t) => {
  const cloud = await templateStage(t);
  const named = { LaunchTemplateName: 'mine', Version: '1' };
  for (const [fleet_type, own] of [
    ['instant', false],
    ['maintain', true],
  ] as const) {
    const provider_api_spec = { LaunchTemplateConfigs: [{ LaunchTemplateSpecification: named }] };
    const { prepared } = await cloud.order(ec2Fleet, { template: { fleet_type, provider_api_spec } as any });
    const { id, version } = prepared.template;
    t.deepEqual(
      prepared.input.LaunchTemplateConfigs[0].LaunchTemplateSpecification,
      own ? { LaunchTemplateId: id, Version: version } : named,
    );
  }
});

test('groups and subnet are set in each new network interface, not in an existing one', (t) => {
  const fields = { SecurityGroupIds: ['sg-1'], SubnetId: 'subnet-1', EbsOptimized: true };
  const natively = (native: object) => machineParameters({ named: {}, fields, natives: [native as any] });
  t.deepEqual(natively({}), fields);
  t.deepEqual(natively({ NetworkInterfaces: [{ AssociatePublicIpAddress: true }, { DeviceIndex: 1 }] }), {
    EbsOptimized: true,
    NetworkInterfaces: [
      { DeviceIndex: 0, Groups: ['sg-1'], SubnetId: 'subnet-1', AssociatePublicIpAddress: true },
      { DeviceIndex: 1, Groups: ['sg-1'], SubnetId: 'subnet-1' },
    ],
  });
  t.deepEqual(natively({ NetworkInterfaces: [{ NetworkInterfaceId: 'eni-1' }] }), {
    EbsOptimized: true,
    NetworkInterfaces: [{ DeviceIndex: 0, NetworkInterfaceId: 'eni-1' }],
  });
});

test("a group's launch template carries what is said natively of its machines", async (t) => {
  const cloud = await templateStage(t);
  const launch_template_spec = { EbsOptimized: true, MetadataOptions: { HttpTokens: 'required' } };
  const { prepared } = await cloud.order(asg, { template: { launch_template_spec } as any });
  t.like((await cloud.version(prepared.template))?.LaunchTemplateData, launch_template_spec);
});

const weighted: readonly (readonly [string, ProviderApi, object])[] = [
  ...ways,
  ['EC2Fleet maintain', ec2Fleet, { fleet_type: 'maintain' }],
  ['ASG', asg, {}],
];
for (const [name, api, more] of weighted) {
  for (const [what, machine_types, weight] of [
    ['heavier than', { 't3.small': 1 }, 4],
    ['lighter than', { 't3.small': 4, 't3.medium': 8 }, 1],
  ] as const) {
    test(`${name}: weights of the native specification that are ${what} those of the template bring the machines asked for`, async (t) => {
      const cloud = await templateStage(t, {}, { boot_ms: 1_000 });
      const overrides = (value: unknown) => [{ InstanceType: 't3.small', WeightedCapacity: value }];
      const provider_api_spec =
        api === asg
          ? { MixedInstancesPolicy: { LaunchTemplate: { Overrides: overrides(String(weight)) } } }
          : { LaunchTemplateConfigs: [{ Overrides: overrides(weight) }] };
      const template = { ...more, machine_type: undefined, machine_types, provider_api_spec };
      const order = await cloud.order(api, { machine_count: 3, template: template as any });
      const launch = await api.launch(cloud.session, order, cloud.call);
      t.deepEqual(launch.shortfall ?? [], []);
      for (let i = 0; i < 20; i++) cloud.simulator.advance(5_000);
      t.is(cloud.simulator.ledger().live[order.request_id]?.length, 3);
    });
  }
}

for (const api of [ec2Fleet, spotFleet]) {
  test(`${api.name}: a native weight that is no whole number is refused, for no target is made of it`, (t) => {
    const of = (WeightedCapacity: unknown) =>
      api.review?.({
        template_id: 't',
        image_id: 'ami-1',
        price_type: 'spot',
        provider_api_spec: {
          LaunchTemplateConfigs: [
            {},
            { Overrides: [{ InstanceType: 'm5.large' }, { InstanceType: 'm5.xlarge', WeightedCapacity }] },
          ],
        },
      } as any);
    const path = '/provider_api_spec/LaunchTemplateConfigs/1/Overrides/1/WeightedCapacity';
    for (const wrong of [0.5, 0, -1, '2', 1.5])
      t.true(
        of(wrong)?.some((found) => found.level === 'error' && found.path === path),
        String(wrong),
      );
    for (const right of [1, 999, null, undefined])
      t.false(
        of(right)?.some((found) => found.path === path),
        String(right),
      );
  });
}

test('the shortfall of a native pool has the message of the cloud although the template does not name the pool', async (t) => {
  const cloud = await templateStage(t, {}, { capacity: [{ count: 0 }] });
  const LaunchTemplateConfigs = [{ Overrides: [{ InstanceType: 'c5.large', SubnetId: 'subnet-2' }] }];
  const order = await cloud.order(ec2Fleet, {
    template: { machine_type: 'm5.large', provider_api_spec: { LaunchTemplateConfigs } } as any,
  });
  const { shortfall = [] } = await ec2Fleet.launch(cloud.session, order, cloud.call);
  t.deepEqual(
    shortfall.map(({ kind, code }) => [kind, code]),
    [['capacity', 'InsufficientInstanceCapacity']],
  );
  t.regex(shortfall[0]?.message ?? '', /c5\.large/);
});
