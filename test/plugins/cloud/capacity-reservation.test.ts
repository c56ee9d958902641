import test from 'ava';
import type { ProviderApi } from '../../../core/index.ts';
import { asg } from '../../../plugins/cloud-asg/index.ts';
import { ec2Fleet } from '../../../plugins/cloud-ec2fleet/index.ts';
import { runInstances } from '../../../plugins/cloud-runinstances/index.ts';
import { templateStage } from './launch-template-support.ts';

const ways: readonly (readonly [string, ProviderApi, object])[] = [
  ['RunInstances', runInstances, {}],
  ['EC2Fleet instant', ec2Fleet, {}],
  ['EC2Fleet request', ec2Fleet, { fleet_type: 'request' }],
  ['EC2Fleet maintain', ec2Fleet, { fleet_type: 'maintain' }],
  ['ASG', asg, {}],
];
const arn = 'arn:aws:resource-groups:us-east-1:123456789012:group/reserved';
const reservations: readonly (readonly [object, object])[] = [
  [{ capacity_reservation: { preference: 'open' } }, { CapacityReservationPreference: 'open' }],
  [
    { capacity_reservation: { preference: 'capacity-reservations-only' } },
    { CapacityReservationPreference: 'capacity-reservations-only' },
  ],
  [{ capacity_reservation: { id: 'cr-0123' } }, { CapacityReservationTarget: { CapacityReservationId: 'cr-0123' } }],
  [
    { capacity_reservation: { resource_group_arn: arn } },
    { CapacityReservationTarget: { CapacityReservationResourceGroupArn: arn } },
  ],
  [
    { launch_template_spec: { CapacityReservationSpecification: { CapacityReservationPreference: 'none' } } },
    { CapacityReservationPreference: 'none' },
  ],
];
for (const [name, api, more] of ways) {
  for (const [given, sent] of reservations) {
    test(`${name} passes ${JSON.stringify(given)} on, and the cloud starts the machines`, async (t) => {
      const cloud = await templateStage(t, {}, { boot_ms: 1_000 });
      const order = await cloud.order(api, { machine_count: 2, template: { ...more, ...given } as any });
      const { params, template } = order.prepared;
      const data = params ?? (await cloud.version(template))?.LaunchTemplateData;
      t.deepEqual(data.CapacityReservationSpecification, sent);
      await api.launch(cloud.session, order, cloud.call);
      cloud.simulator.advance(60_000);
      t.is(cloud.simulator.ledger().live[order.request_id]?.length, 2);
    });
  }
}

test('only an instant fleet with on-demand machines and a reservation preference searches open reservations first', async (t) => {
  const cloud = await templateStage(t);
  const optionsOf = async (more: object) =>
    (await cloud.order(ec2Fleet, { template: more as any })).prepared.input.OnDemandOptions;
  const open = { capacity_reservation: { preference: 'open' } };
  t.deepEqual(await optionsOf(open), {
    AllocationStrategy: 'lowest-price',
    CapacityReservationOptions: { UsageStrategy: 'use-capacity-reservations-first' },
  });
  for (const other of [
    {},
    { ...open, fleet_type: 'request' },
    { capacity_reservation: { id: 'cr-1' } },
    { capacity_reservation: { preference: 'none' } },
  ])
    t.deepEqual(await optionsOf(other), { AllocationStrategy: 'lowest-price' });
  t.is(await optionsOf({ capacity_reservation: { preference: 'none' }, price_type: 'spot' }), undefined);
});
