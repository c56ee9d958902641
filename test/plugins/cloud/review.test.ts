import test from 'ava';
import type { Finding, Template } from '../../../core/index.ts';
import { ec2Fleet } from '../../../plugins/cloud-ec2fleet/index.ts';
import { spotFleet } from '../../../plugins/cloud-spotfleet/index.ts';
import { runInstances } from '../../../plugins/cloud-runinstances/index.ts';

const good = { template_id: 't', image_id: 'ami-1', machine_type: 'm5.large', subnet_ids: ['subnet-1'] };
const review = (api: { review?: (template: any) => readonly Finding[] }, more: object) =>
  api.review?.({ ...good, ...more } as Template) ?? [];
const errors = (api: Parameters<typeof review>[0], more: object) =>
  review(api, more).flatMap((finding) => (finding.level === 'error' ? finding.path : []));

test('an ordinary template has no findings', (t) => {
  t.deepEqual(review(runInstances, {}), []);
  t.deepEqual(review(ec2Fleet, { fleet_type: 'instant' }), []);
});

const tooMany = Object.fromEntries(Array.from({ length: 48 }, (_, i) => [`tag${i}`, 'x']));
const both: readonly (readonly [what: string, more: object, paths: readonly string[]])[] = [
  ['no image', { image_id: undefined }, ['/image_id']],
  ['no image, but a launch template', { image_id: undefined, launch_template_id: 'lt-1' }, []],
  ['no machine type', { machine_type: undefined }, ['/machine_type']],
  ['too many tags', { tags: tooMany }, ['/tags']],
  [
    "the cloud's and our own tags",
    { tags: { 'aws:x': '1', 'AWS:y': '1', 'muster:request-id': '1' } },
    ['/tags/aws:x', '/tags/AWS:y', '/tags/muster:request-id'],
  ],
  ['long tags', { tags: { ['k'.repeat(129)]: '', v: 'v'.repeat(257) } }, [`/tags/${'k'.repeat(129)}`, '/tags/v']],
  ['plain user data', { user_data: '#!/bin/sh' }, ['/user_data']],
  ['too much user data', { user_data: Buffer.alloc(16_385).toString('base64') }, ['/user_data']],
  ['as much user data as there may be', { user_data: Buffer.alloc(16_384).toString('base64') }, []],
  ['iops for a volume without', { volume_type: 'gp2', iops: 100 }, ['/iops']],
  ['io1 without iops', { volume_type: 'io1' }, ['/iops']],
];
for (const [what, more, paths] of both) {
  test(`${what}: ${paths.length === 0 ? 'nothing' : paths.map((path) => path.slice(0, 30)).join(', ')} is refused by both APIs`, (t) => {
    t.deepEqual(errors(runInstances, more), [...paths]);
    t.deepEqual(errors(ec2Fleet, more), [...paths]);
  });
}

test('RunInstances refuses what needs a fleet', (t) => {
  t.deepEqual(errors(runInstances, { fleet_type: 'instant' }), ['/fleet_type']);
  t.deepEqual(errors(runInstances, { instance_requirements: { VCpuCount: {}, MemoryMiB: {} } }), [
    '/instance_requirements',
  ]);
  t.deepEqual(errors(runInstances, { machine_types: { a: 1, b: 2 } }), ['/machine_types']);
  t.deepEqual(errors(runInstances, { machine_types: { a: 2 } }), []);
  t.deepEqual(errors(runInstances, { price_type: 'mixed', percent_on_demand: 50 }), ['/percent_on_demand']);
});

test('EC2Fleet serves its fleet types, named strategies and whole requirements only', (t) => {
  for (const fleet_type of ['instant', 'request', 'maintain']) t.deepEqual(errors(ec2Fleet, { fleet_type }), []);
  t.deepEqual(errors(ec2Fleet, { fleet_type: 'forever' }), ['/fleet_type']);
  t.deepEqual(errors(ec2Fleet, { price_type: 'spot', allocation_strategy: 'CAPACITY_OPTIMIZED' }), []);
  t.deepEqual(errors(ec2Fleet, { price_type: 'spot', allocation_strategy: 'best' }), ['/allocation_strategy']);
  t.deepEqual(errors(ec2Fleet, { allocation_strategy_on_demand: 'best' }), ['/allocation_strategy_on_demand']);
  t.deepEqual(errors(ec2Fleet, { instance_requirements: { VCpuCount: { Min: 1 } } }), [
    '/instance_requirements/MemoryMiB',
  ]);
  t.deepEqual(errors(ec2Fleet, { instance_requirements: { VCpuCount: {}, MemoryMiB: {} }, machine_types: { a: 1 } }), [
    '/instance_requirements',
  ]);
});

test('SpotFleet serves templates with a Spot part, and no instant fleets', (t) => {
  for (const price_type of ['spot', 'mixed', 'heterogeneous']) t.deepEqual(errors(spotFleet, { price_type }), []);
  t.deepEqual(errors(spotFleet, {}), []);
  t.deepEqual(errors(spotFleet, { percent_on_demand: 50, max_price: 0.1 }), []);
  t.deepEqual(errors(spotFleet, { price_type: 'ondemand' }), ['/price_type']);
  t.deepEqual(errors(spotFleet, { price_type: 'spot', fleet_type: 'instant' }), ['/fleet_type']);
  t.deepEqual(errors(spotFleet, { price_type: 'spot', allocation_strategy: 'cheapest' }), ['/allocation_strategy']);
});

test('native fields that would change the number of machines or the fleet are refused', (t) => {
  const vcpu = { TargetCapacityUnitType: 'vcpu' };
  t.deepEqual(errors(ec2Fleet, { provider_api_spec: { TargetCapacitySpecification: vcpu } }), ['/provider_api_spec']);
  t.deepEqual(errors(spotFleet, { price_type: 'spot', provider_api_spec: vcpu }), ['/provider_api_spec']);
  t.deepEqual(errors(spotFleet, { price_type: 'spot', provider_api_spec: { SpotFleetRequestConfig: vcpu } }), [
    '/provider_api_spec',
  ]);
  const launch_template_spec = { InstanceMarketOptions: { MarketType: 'spot' } };
  t.deepEqual(errors(ec2Fleet, { fleet_type: 'maintain', launch_template_spec }), [
    '/launch_template_spec/InstanceMarketOptions',
  ]);
});
