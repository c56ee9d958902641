import { EC2Client, DescribeFleetsCommand, DescribeSpotFleetRequestsCommand } from '@aws-sdk/client-ec2';
import test from 'ava';
import fc from 'fast-check';
import { ProviderFault } from '../../../core/index.ts';
import { loopBench } from '../../support/loop-bench.ts';
import { ScriptedCloud } from '../../support/scripted-cloud.ts';
import { ask, boot, ended, file, hostsOf, request } from './in-process.ts';
import { tries } from '../../support/variants.ts';

// Mistakes that other providers of HostFactory made, or brokers like this one; those that the other tests of these
// scripts do not meet on their way.

const types = { vmTypes: { 't3.small': 1, 't3.medium': 2 } };
const templates = [
  { templateId: 'run', maxNumber: 9, vmType: 't3.small', ...file },
  { templateId: 'instant', maxNumber: 9, ...types, ...file },
  { templateId: 'fleet-request', maxNumber: 9, providerApi: 'EC2Fleet', fleetType: 'request', ...types, ...file },
  { templateId: 'fleet-maintain', maxNumber: 9, providerApi: 'EC2Fleet', fleetType: 'maintain', ...types, ...file },
  { templateId: 'spot-request', maxNumber: 9, priceType: 'spot', ...types, ...file },
  { templateId: 'spot-maintain', maxNumber: 9, priceType: 'spot', fleetType: 'maintain', ...types, ...file },
  { templateId: 'group', maxNumber: 9, providerApi: 'ASG', ...types, ...file },
];
const configuration = {
  plugins: [
    'cloud',
    'cloud-runinstances',
    'cloud-ec2fleet',
    'cloud-spotfleet',
    'cloud-asg',
    'hostfactory-format',
    'default-format',
    'storage-sqlite',
  ],
};
const launching = [
  'RunInstances',
  'CreateFleet',
  'RequestSpotFleet',
  'CreateLaunchTemplate',
  'CreateLaunchTemplateVersion',
];

test('every call that launches has a client token, a fleet that is maintained ends nothing by itself, and what was returned is not refilled', async (t) => {
  const broker = await boot(t, { templates, configuration });
  const ids = await Promise.all(templates.map(({ templateId }) => request(broker, 2, templateId)));
  const all = await Promise.all(ids.map((id) => ended(broker, id)));
  for (const { status, message } of all) t.is(status, 'complete', message);

  // 2: a call whose answer is lost is repeated; without a token it would launch again.
  const calls = broker.simulator.audit().filter(({ action }) => launching.includes(action));
  t.deepEqual(
    [...new Set(calls.map(({ action }) => action))].filter((action) => !/Template/.test(action)).toSorted(),
    ['CreateFleet', 'RequestSpotFleet', 'RunInstances'],
  );
  t.deepEqual(
    calls.filter(({ token }) => !token),
    [],
  );

  // 1: with `termination` the fleet itself picks what ends when its target is lowered: a working machine, not the one
  // that was returned.
  const ec2 = new EC2Client({
    region: 'us-east-1',
    endpoint: broker.simulator.url,
    credentials: { accessKeyId: 'AKIATEST', secretAccessKey: 'test' },
  });
  t.teardown(() => ec2.destroy());
  const { Fleets = [] } = await ec2.send(new DescribeFleetsCommand({}));
  const { SpotFleetRequestConfigs = [] } = await ec2.send(new DescribeSpotFleetRequestsCommand({}));
  const kept = [
    ...Fleets.filter(({ Type }) => Type === 'maintain').map(
      ({ ExcessCapacityTerminationPolicy }) => ExcessCapacityTerminationPolicy,
    ),
    ...SpotFleetRequestConfigs.filter(({ SpotFleetRequestConfig: config }) => config?.Type === 'maintain').map(
      ({ SpotFleetRequestConfig: config }) => config?.ExcessCapacityTerminationPolicy,
    ),
  ];
  t.deepEqual(new Set(kept), new Set(['no-termination', 'noTermination']));

  const survivors = all.map((status) => hostsOf(status)[1].machineId);
  const machines = all.map((status) => hostsOf(status)[0]);
  const { answer } = await ask(broker, 'requestReturnMachines', { machines });
  t.is((await ended(broker, answer.requestId)).status, 'complete');
  t.deepEqual(Object.values(broker.simulator.ledger().live).flat().toSorted(), survivors.toSorted());
});

test('what lacks capacity is remembered under the key that it is looked up by, and nothing else is', async (t) => {
  const key = fc.string({ minLength: 1, maxLength: 12 });
  const keys = fc.uniqueArray(fc.oneof(key, fc.constantFrom('a', 'a|b', 'a|b|c', 'b|c', '|', '*|*', '__proto__')), {
    minLength: 2,
    maxLength: 6,
  });
  await fc.assert(
    fc.asyncProperty(keys, fc.nat(), fc.boolean(), async (offers, index, one) => {
      const lacking = offers[index % offers.length] ?? '';
      const cloud = new ScriptedCloud(
        { offers_per_launch: one ? 'one' : 'many' },
        offers.map((each) => ({ key: each })),
      );
      const tried = (): string[] => cloud.orders.at(-1)?.offers?.map((offer) => offer.key) ?? [];
      // Everything before it is full too where they are tried one by one.
      const full = one ? offers.slice(0, (index % offers.length) + 1) : [lacking];
      for (const each of full)
        cloud.scripts.push(() => new ProviderFault('capacity', 'None.', one ? {} : { offer: each }));
      const bench = await loopBench({ east: cloud });
      try {
        await bench.request(1);
        await bench.clock.advance(5_000);
        cloud.orders.length = 0;
        await bench.request(1);
        await bench.clock.advance(5_000);
        const open = offers.filter((each) => !full.includes(each));
        if (open.length === 0) return;
        t.deepEqual(tried(), one ? open.slice(0, 1) : open);
      } finally {
        await bench.close();
      }
    }),
    { numRuns: tries(10, 50) },
  );
});

test('calls that failed together do not all retry at the same moment, and none before its time', async (t) => {
  for (const told of [undefined, 20_000]) {
    const cloud = new ScriptedCloud();
    const bench = await loopBench({ east: cloud });
    const came: number[] = [];
    let refused = 0;
    const count = 40;
    for (let each = 0; each < count; each++)
      cloud.scripts.push(() => {
        refused = bench.clock.now();
        return new ProviderFault('throttled', 'Slow down.', told === undefined ? {} : { retry_after_ms: told });
      });
    for (let each = 0; each < count; each++)
      cloud.scripts.push((order, mine) => {
        came.push(bench.clock.now() - refused);
        return mine.start(order);
      });
    for (let each = 0; each < count; each++) await bench.request(1);
    for (let step = 0; step < 400 && came.length < count; step++)
      await bench.clock.advance(told === undefined ? 10 : 100);
    t.is(came.length, count);
    t.true(Math.min(...came) >= (told ?? 0), String(came));
    const together = Math.max(
      ...Map.groupBy(came, (ms) => ms)
        .values()
        .map((same) => same.length),
    );
    t.true(together <= count / 4, `${together} of ${count} came at once: ${String(came)}`);
    await bench.close();
  }
});
