import test from 'ava';
import { isError, isFault, type ProviderApi } from '../../../core/index.ts';
import { assertPlain } from '../../../core/providers/answer-checks/assert-plain.ts';
import { asg } from '../../../plugins/cloud-asg/index.ts';
import { ec2Fleet } from '../../../plugins/cloud-ec2fleet/index.ts';
import { runInstances } from '../../../plugins/cloud-runinstances/index.ts';
import { spotFleet } from '../../../plugins/cloud-spotfleet/index.ts';
import { prepared, stage } from './support.ts';

/** What a native specification may have at a place that muster reads: nothing of the kind that belongs there. */
const wrong: readonly unknown[] = [null, 7, 'text', [], [null], ['x'], {}, { a: null }, [{ Tags: [null] }]];
const readOfMachines = [
  'TagSpecifications',
  'NetworkInterfaces',
  'ImageId',
  'UserData',
  'SecurityGroupIds',
  'SubnetId',
  'InstanceMarketOptions',
  'BlockDeviceMappings',
  'InstanceType',
  'InstanceRequirements',
];
const readOfCalls = [
  'LaunchTemplateConfigs',
  'TagSpecifications',
  'TargetCapacitySpecification',
  'SpotOptions',
  'OnDemandOptions',
  'ValidUntil',
  'ValidFrom',
  'SpotFleetRequestConfig',
  'MixedInstancesPolicy',
  'Tags',
  'VPCZoneIdentifier',
  'AvailabilityZones',
];
const nested: readonly object[] = [
  ...wrong.map((value) => ({ LaunchTemplateConfigs: [{ Overrides: value }] })),
  ...wrong.map((value) => ({
    LaunchTemplateConfigs: [
      { LaunchTemplateSpecification: value, Overrides: [{ InstanceType: value, SubnetId: value }] },
    ],
  })),
  ...wrong.map((value) => ({
    LaunchTemplateConfigs: [{ Overrides: [{ InstanceType: 't3.small', WeightedCapacity: value }] }],
  })),
  ...wrong.map((value) => ({ MixedInstancesPolicy: { LaunchTemplate: value } })),
  ...wrong.map((value) => ({ MixedInstancesPolicy: { LaunchTemplate: { Overrides: value } } })),
  ...wrong.map((value) => ({
    MixedInstancesPolicy: { LaunchTemplate: { Overrides: [{ InstanceType: value, WeightedCapacity: value }] } },
  })),
  ...wrong.map((value) => ({ MixedInstancesPolicy: { InstancesDistribution: value } })),
  ...wrong.map((value) => ({ TagSpecifications: [{ ResourceType: 'instance', Tags: value }] })),
  ...wrong.map((value) => ({
    TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: value, Value: value }] }],
  })),
  ...wrong.map((value) => ({ Tags: [{ Key: value, Value: value }] })),
  ...wrong.map((value) => ({ NetworkInterfaces: [{ Groups: value, SubnetId: value, NetworkInterfaceId: value }] })),
  ...wrong.map((value) => ({ SpotFleetRequestConfig: { LaunchTemplateConfigs: value, TagSpecifications: value } })),
  {
    TagSpecifications: [
      {
        ResourceType: 'instance',
        Tags: Array.from({ length: 2_000 }, (_, index) => `k${index}`).map((Key) => ({ Key, Value: 'v' })),
      },
    ],
  },
  {
    LaunchTemplateConfigs: [
      {
        Overrides: Array.from({ length: 5_000 }, (_, index) => `m${index}.large`).map((InstanceType) => ({
          InstanceType,
        })),
      },
    ],
  },
  { Parts: Array.from({ length: 110_000 }, () => 0) },
  { Deep: deep(80) },
  // Half of a pair: no text that could be sent.
  { KernelId: '\ud800' },
  { BlockDeviceMappings: [{ DeviceName: '\ud800' }] },
  { LaunchTemplate: { LaunchTemplateId: '\udc00' } },
];

function deep(levels: number): unknown {
  return levels === 0 ? 1 : [deep(levels - 1)];
}

const specs = [
  ...readOfMachines.flatMap((name) => wrong.map((value) => ({ launch_template_spec: { [name]: value } }))),
  ...[...readOfMachines, ...readOfCalls].flatMap((name) =>
    wrong.map((value) => ({ provider_api_spec: { [name]: value } })),
  ),
  ...nested.flatMap((spec) => [{ provider_api_spec: spec }, { launch_template_spec: spec }]),
];

for (const [name, api, more] of [
  ['RunInstances', runInstances, {}],
  ['EC2Fleet instant', ec2Fleet, {}],
  ['EC2Fleet maintain', ec2Fleet, { fleet_type: 'maintain' }],
  ['SpotFleet', spotFleet, { price_type: 'spot' }],
  ['ASG', asg, {}],
] as unknown as readonly (readonly [string, ProviderApi, object])[])
  test(`${name}: what a review lets through is prepared and launched, or is a fault; nothing else is ever thrown`, async (t) => {
    const cloud = await stage();
    t.teardown(cloud.close);
    let launched = 0;
    let refused = 0;
    for (const spec of specs) {
      const template = {
        template_id: 't',
        image_id: 'ami-1',
        machine_type: 't3.small',
        subnet_ids: ['subnet-1'],
        ...more,
        ...spec,
      };
      const findings = api.review?.(template) ?? [];
      if (findings.some(isError)) {
        refused += 1;
        continue;
      }
      try {
        const order = await prepared(api, cloud, { template });
        assertPlain(order.prepared, '');
        await api.launch(cloud.session, order, cloud.call);
        launched += 1;
      } catch (error) {
        const about = JSON.stringify(spec).slice(0, 300);
        t.true(isFault(error), `${about}: ${error instanceof Error ? error.stack : String(error)}`);
        // It concerns this order, and says nothing of who calls.
        t.true(isFault(error) && ['invalid', 'quota', 'capacity'].includes(error.kind), `${about}: ${String(error)}`);
      }
    }
    t.true(launched > 20 && refused > 100, `${launched} launched, ${refused} refused`);
  });
