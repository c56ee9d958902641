import type { Instance } from '@aws-sdk/client-ec2';
import test from 'ava';
import fc from 'fast-check';
import { instanceSummary } from '../../../plugins/cloud/connection/answers/instance-summary.ts';
import { packedInstance, unpackedInstance } from '../../../plugins/cloud/connection/answers/packed-instance.ts';

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const text = maybe(fc.oneof(fc.constant(''), fc.string(), fc.string({ unit: 'binary' })));
const instance: fc.Arbitrary<Instance> = fc.record({
  InstanceId: text,
  State: maybe(fc.record({ Code: fc.integer(), Name: fc.constantFrom('running', 'stopped') })),
  StateReason: maybe(fc.record({ Code: text, Message: text })),
  StateTransitionReason: text,
  InstanceLifecycle: maybe(fc.constant('spot' as const)),
  InstanceType: maybe(fc.constantFrom('m5.large', 't3.small')),
  SubnetId: text,
  PrivateDnsName: text,
  PrivateIpAddress: text,
  Ipv6Address: text,
  PublicIpAddress: text,
  LaunchTime: maybe(fc.date({ noInvalidDate: true })),
  Placement: maybe(fc.record({ AvailabilityZone: text })),
  BlockDeviceMappings: maybe(fc.array(fc.record({ Ebs: maybe(fc.record({ VolumeId: text })) }))),
  Tags: maybe(
    fc.array(
      fc.record({ Key: fc.constantFrom('muster:request-id', 'muster:name', 'InstanceID', 'other'), Value: text }),
    ),
  ),
});

test('a machine that was packed is the same machine, also beside others', (t) => {
  const defined = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
  fc.assert(
    fc.property(fc.array(instance), (instances) => {
      const summaries = instances.map(instanceSummary);
      const packed = summaries.map(packedInstance);
      for (let time = 0; time < 2; time++) t.deepEqual(packed.map(unpackedInstance).map(defined), defined(summaries));
    }),
  );
});

test('who changes a machine does not change another one', (t) => {
  const packed = packedInstance(
    instanceSummary({ State: { Name: 'running' }, Tags: [{ Key: 'muster:name', Value: 'a' }] }),
  );
  const one = unpackedInstance(packed);
  one.Tags?.pop();
  one.State = { Name: 'stopped' };
  t.deepEqual(unpackedInstance(packed).Tags, [{ Key: 'muster:name', Value: 'a' }]);
  t.throws(() => (unpackedInstance(packed).State!.Name = 'stopped'), { instanceOf: TypeError });
  t.is(unpackedInstance(packed).State?.Name, 'running');
});
