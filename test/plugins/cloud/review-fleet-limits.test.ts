import test from 'ava';
import type { ProviderApi, Template } from '../../../core/index.ts';
import { ec2Fleet } from '../../../plugins/cloud-ec2fleet/index.ts';
import { spotFleet } from '../../../plugins/cloud-spotfleet/index.ts';

const good = { template_id: 't', image_id: 'ami-1', machine_type: 'm5.large', subnet_ids: ['subnet-1'] };
/** `error /path` for each finding. */
const said = (api: ProviderApi, more: object) =>
  (api.review?.({ ...good, ...(api.name === 'SpotFleet' ? { price_type: 'spot' } : {}), ...more } as Template) ?? [])
    .map(({ level, path }) => `${level} ${path}`)
    .toSorted();
const fleets = [ec2Fleet, spotFleet] as unknown as ProviderApi[];

const types = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`m5.${i}`, 1]));
const subnets = (count: number) => Array.from({ length: count }, (_, i) => `subnet-${i}`);

test('a fleet has at most 300 pools', (t) => {
  const pools = (machine_types: object, subnet_ids: readonly string[], fleet_type: string) => ({
    machine_type: undefined,
    machine_types,
    subnet_ids,
    fleet_type,
  });
  for (const fleet_type of ['request', 'maintain'])
    for (const api of fleets) {
      t.deepEqual(said(api, pools(types(100), subnets(3), fleet_type)), []);
      t.deepEqual(said(api, pools(types(301), subnets(1), fleet_type)), ['error /machine_types']);
      t.deepEqual(said(api, pools(types(101), subnets(3), fleet_type)), ['error /machine_types']);
    }
  t.deepEqual(said(ec2Fleet as ProviderApi, pools(types(100), subnets(3), 'instant')), []);
  t.deepEqual(said(ec2Fleet as ProviderApi, pools(types(101), subnets(3), 'instant')), ['error /machine_types']);
});

test('native configurations of fleets are counted, and those of standing fleets keep the launch template of muster', (t) => {
  const path = '/provider_api_spec/LaunchTemplateConfigs';
  const of = (configs: unknown, fleet_type: string, more: object = {}) =>
    said(ec2Fleet as ProviderApi, { fleet_type, provider_api_spec: { LaunchTemplateConfigs: configs }, ...more });
  const bare = { Overrides: [{ InstanceType: 'm5.large' }] };
  t.deepEqual(
    of(
      Array.from({ length: 50 }, () => bare),
      'instant',
    ),
    [],
  );
  t.deepEqual(
    of(
      Array.from({ length: 51 }, () => bare),
      'instant',
    ),
    [`error ${path}`],
  );
  t.deepEqual(of([], 'instant'), [`error ${path}`]);
  t.deepEqual(of([{ Overrides: Array.from({ length: 300 }, () => ({})) }], 'instant'), []);
  t.deepEqual(of([{ Overrides: Array.from({ length: 301 }, () => ({})) }], 'instant'), [`error ${path}`]);
  t.deepEqual(of([{ Overrides: Array.from({ length: 301 }, () => ({})) }], 'request'), [`error ${path}`]);
  t.deepEqual(of([{ Overrides: [{ SubnetId: 'subnet-1,subnet-2' }] }], 'instant'), [`error ${path}`]);
  t.deepEqual(of([{ Overrides: [{ SubnetId: 'subnet-1,subnet-2' }] }], 'request'), []);
  const own = [{ LaunchTemplateSpecification: { LaunchTemplateName: 'mine', Version: '1' } }];
  t.deepEqual(of(own, 'maintain'), [`error ${path}/0/LaunchTemplateSpecification`]);
  t.deepEqual(of(own, 'instant', { image_id: undefined, machine_type: undefined }), []);
  t.deepEqual(of([bare], 'request', { machine_type: undefined }), []);
  t.deepEqual(of([{}], 'request', { machine_type: undefined }), ['error /machine_type']);
  const inner = { SpotFleetRequestConfig: { LaunchTemplateConfigs: own, LaunchSpecifications: [{}] } };
  t.deepEqual(said(spotFleet as ProviderApi, { provider_api_spec: inner }), [
    'error /provider_api_spec/SpotFleetRequestConfig/LaunchSpecifications',
    'error /provider_api_spec/SpotFleetRequestConfig/LaunchTemplateConfigs/0/LaunchTemplateSpecification',
  ]);
});

test('options that only instant fleets have, and those that would end machines, are refused', (t) => {
  const of = (provider_api_spec: object, fleet_type: string) =>
    said(ec2Fleet as ProviderApi, { fleet_type, provider_api_spec });
  for (const name of ['SingleInstanceType', 'SingleAvailabilityZone', 'CapacityReservationOptions']) {
    t.deepEqual(of({ OnDemandOptions: { [name]: true } }, 'instant'), []);
    t.deepEqual(of({ OnDemandOptions: { [name]: true } }, 'request'), [
      `error /provider_api_spec/OnDemandOptions/${name}`,
    ]);
  }
  const least = (MinTargetCapacity: number, SingleInstanceType: boolean) => ({
    SpotOptions: { MinTargetCapacity, SingleInstanceType },
  });
  t.deepEqual(of(least(1000, true), 'instant'), []);
  t.deepEqual(of(least(1001, true), 'instant'), ['error /provider_api_spec/SpotOptions/MinTargetCapacity']);
  t.deepEqual(of(least(1, false), 'instant'), ['error /provider_api_spec/SpotOptions/MinTargetCapacity']);
  t.deepEqual(of({ ReservedCapacityOptions: {} }, 'maintain'), ['error /provider_api_spec/ReservedCapacityOptions']);
  for (const api of fleets)
    t.deepEqual(said(api, { fleet_type: 'maintain', provider_api_spec: { ReplaceUnhealthyInstances: true } }), [
      'error /provider_api_spec/ReplaceUnhealthyInstances',
    ]);
  const tagging = (ResourceType: string) => ({
    provider_api_spec: { TagSpecifications: [{ ResourceType, Tags: [] }] },
  });
  t.deepEqual(said(ec2Fleet as ProviderApi, { fleet_type: 'request', ...tagging('instance') }), [
    'error /provider_api_spec/TagSpecifications',
  ]);
  t.deepEqual(said(ec2Fleet as ProviderApi, { fleet_type: 'request', ...tagging('fleet') }), []);
  t.deepEqual(said(ec2Fleet as ProviderApi, tagging('instance')), []);
  t.deepEqual(said(spotFleet as ProviderApi, tagging('fleet')), ['error /provider_api_spec/TagSpecifications']);
  t.deepEqual(said(spotFleet as ProviderApi, tagging('spot-fleet-request')), []);
});

test('native configurations of a wrong form are findings', (t) => {
  const path = '/provider_api_spec/LaunchTemplateConfigs';
  for (const api of fleets)
    for (const [configs, where] of [
      ['all', path],
      [{}, path],
      [[null], `${path}/0`],
      [[{}, 'x'], `${path}/1`],
      [[{ Overrides: 'x' }], `${path}/0/Overrides`],
      [[{ Overrides: {} }], `${path}/0/Overrides`],
      [[{ Overrides: [{}, null] }], `${path}/0/Overrides/1`],
    ] as const)
      t.deepEqual(
        said(api, { provider_api_spec: { LaunchTemplateConfigs: configs } }),
        [`error ${where}`],
        JSON.stringify(configs),
      );
});

test('fleets that replace machines on their own are refused', (t) => {
  const strategies = { CapacityRebalance: { ReplacementStrategy: 'launch-before-terminate', TerminationDelay: 120 } };
  const of = (api: ProviderApi, provider_api_spec: object) =>
    said(api, { fleet_type: 'maintain', price_type: 'spot', provider_api_spec });
  t.deepEqual(of(ec2Fleet as ProviderApi, { SpotOptions: { MaintenanceStrategies: strategies } }), [
    'error /provider_api_spec/SpotOptions/MaintenanceStrategies',
  ]);
  t.deepEqual(of(spotFleet as ProviderApi, { SpotMaintenanceStrategies: strategies }), [
    'error /provider_api_spec/SpotMaintenanceStrategies',
  ]);
});
