import { type SpotFleetRequestConfigData } from '@aws-sdk/client-ec2';
import test from 'ava';
import { requestSpotFleet, specification, template } from './spot-fleet-support.ts';
import { codeOf, openCloud } from './support.ts';

const machineTag = [{ ResourceType: 'instance' as const, Tags: [{ Key: 'a', Value: 'b' }] }];
const invalid: readonly [what: string, config: Partial<SpotFleetRequestConfigData>, code: string][] = [
  ['without a role', { IamFleetRole: '' }, 'MissingParameter'],
  ['with a role that is none', { IamFleetRole: 'arn:aws:iam::123456789012:user/me' }, 'InvalidSpotFleetRequestConfig'],
  [
    'from specifications and templates',
    { LaunchSpecifications: specification, LaunchTemplateConfigs: template },
    'InvalidSpotFleetRequestConfig',
  ],
  ['from nothing', { LaunchTemplateConfigs: undefined }, 'InvalidSpotFleetRequestConfig'],
  [
    'with an on-demand part from specifications',
    {
      LaunchSpecifications: specification,
      LaunchTemplateConfigs: undefined,
      TargetCapacity: 2,
      OnDemandTargetCapacity: 1,
    },
    'InvalidSpotFleetRequestConfig',
  ],
  ['without a target', { TargetCapacity: undefined }, 'MissingParameter'],
  ['of type request and no target', { TargetCapacity: 0, Type: 'request' }, 'InvalidParameterValue'],
  ['of type instant', { Type: 'instant' }, 'InvalidSpotFleetRequestConfig'],
  ['with tags for machines', { TagSpecifications: machineTag }, 'InvalidTagSpecification'],
  [
    'without a version of its template',
    { LaunchTemplateConfigs: [{ LaunchTemplateSpecification: { LaunchTemplateName: 'fleet' } }] },
    'MissingParameter',
  ],
];
for (const [what, config, code] of invalid) {
  test(`a Spot fleet ${what} is refused with ${code}`, async (t) => {
    const { ec2, simulator } = await openCloud(t);
    t.is(await codeOf(requestSpotFleet(ec2, config)), code);
    t.deepEqual(simulator.ledger().spot_fleets, []);
  });
}
