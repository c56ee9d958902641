import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Instance } from '@aws-sdk/client-ec2';
import test from 'ava';
import fc from 'fast-check';
import { instanceSummary } from '../../../plugins/cloud/connection/answers/instance-summary.ts';
import { interned } from '../../../plugins/cloud/connection/answers/interned.ts';
import {
  packedInstance,
  unpackedInstance,
  type PackedInstance,
} from '../../../plugins/cloud/connection/answers/packed-instance.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

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

test('equal texts share one value, until there are too many', (t) => {
  let made = 0;
  const one = interned((text) => ({ text, number: made++ }));
  t.is(one('a'), one('a'));
  for (let i = 0; i < 19_999; i++) one(`other ${i}`);
  t.is(one('a').number, 0);
  one('one more');
  t.true(one('a').number > 0, 'all were forgotten');
  t.is(one('a'), one('a'));
});

const count = 20_000;
const launchedAt = Date.parse('2026-11-29T10:00:00Z');
const order = (n: number) => `req-01a22799-1692-7bab-b826-${String(n).padStart(12, '0')}`;
const tags = (n: number) => [
  { Key: 'muster:request-id', Value: order(n) },
  { Key: 'muster:attempt', Value: '1' },
  { Key: 'muster:installation', Value: '0d96e2a581d4e653' },
];
/** The n-th of many machines, as EC2 has them. */
const machine = (n: number): Instance => ({
  InstanceId: `i-${String(n).padStart(17, '0')}`,
  State: { Code: 16, Name: 'running' },
  StateTransitionReason: '',
  InstanceType: n % 2 === 0 ? 'm5.large' : 't3.small',
  SubnetId: `subnet-0e24c7ca3264c905${n % 4}`,
  PrivateDnsName: `ip-10-0-${n % 200}-${(n >> 4) % 200}.ec2.internal`,
  PrivateIpAddress: `10.0.${n % 200}.${(n >> 4) % 200}`,
  LaunchTime: new Date(launchedAt + n),
  Placement: { AvailabilityZone: `us-east-1${'abcd'[n % 4]}` },
  BlockDeviceMappings: [{ Ebs: { VolumeId: `vol-${String(n).padStart(17, '0')}` } }],
  Tags: tags(n % 64),
});
const stopped = (n: number): Instance => ({
  ...machine(n),
  State: { Code: 80, Name: 'stopped' },
  StateReason: {
    Code: 'Client.UserInitiatedShutdown',
    Message: 'Client.UserInitiatedShutdown: User initiated shutdown',
  },
  StateTransitionReason: `User initiated (${new Date(launchedAt + n * 1_000).toISOString().slice(0, 19).replace('T', ' ')} GMT)`,
});
const named = (n: number): Instance => ({
  ...machine(n),
  Tags: [
    { Key: 'muster:name', Value: `node-${n}` },
    ...tags(n % 64),
    { Key: 'InstanceID', Value: machine(n).InstanceId ?? '' },
  ],
});
for (const [what, made, most] of [
  ['of a large request', machine, 250],
  ['that is stopped', stopped, 290],
  ['with a name and its id as tags', named, 300],
  ['of a request for one machine', (n: number) => ({ ...machine(n), Tags: tags(n) }), 500],
] as const)
  test.serial(`a machine ${what} takes at most ${most} bytes`, (t) => {
    const kept = packedMany(made, 100);
    collect();
    const before = process.memoryUsage().heapUsed;
    kept.push(...packedMany(made, count));
    collect();
    const bytes = (process.memoryUsage().heapUsed - before) / count;
    t.is(kept.length, count + 100);
    t.true(bytes < most && bytes > 50, `${bytes.toFixed(0)} bytes`);
  });
const packedMany = (made: (n: number) => Instance, machines: number): PackedInstance[] =>
  Array.from({ length: machines }, (_, n) => packedInstance(instanceSummary(made(n))));
