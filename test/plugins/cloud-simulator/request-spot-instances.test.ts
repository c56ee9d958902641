import {
  CancelSpotInstanceRequestsCommand,
  CreateTagsCommand,
  DescribeInstancesCommand,
  DescribeSpotInstanceRequestsCommand,
  DescribeTagsCommand,
  RequestSpotInstancesCommand,
  type RequestSpotInstancesCommandInput,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import test, { type ExecutionContext } from 'ava';
import type { SimulatorOptions } from '../../../plugins/cloud-simulator/server/server.ts';
import { codeOf, launch, openCloud } from './support.ts';

const LaunchSpecification = { ImageId: 'ami-1', InstanceType: 't3.micro' } as const;

async function openSpot(t: ExecutionContext, options: SimulatorOptions = {}) {
  const cloud = await openCloud(t, options);
  const { ec2 } = cloud;
  const list = async (input = {}) =>
    (await ec2.send(new DescribeSpotInstanceRequestsCommand(input))).SpotInstanceRequests ?? [];
  return {
    ...cloud,
    list,
    ask: async (input: Partial<RequestSpotInstancesCommandInput> = {}) =>
      (await ec2.send(new RequestSpotInstancesCommand({ LaunchSpecification, ...input }))).SpotInstanceRequests ?? [],
    cancel: async (SpotInstanceRequestIds: string[]) =>
      (await ec2.send(new CancelSpotInstanceRequestsCommand({ SpotInstanceRequestIds })))
        .CancelledSpotInstanceRequests,
    states: async () => (await list()).map((one) => `${one.State} ${one.Status?.Code}`),
  };
}

test('Spot requests are open first, and then have a machine each', async (t) => {
  const { ec2, ask, list, states, simulator } = await openSpot(t);
  const made = await ask({
    InstanceCount: 2,
    SpotPrice: '0.5',
    TagSpecifications: [{ ResourceType: 'spot-instances-request', Tags: [{ Key: 'a', Value: 'b' }] }],
  });
  t.deepEqual(
    made.map((one) => [one.State, one.Status?.Code, one.InstanceId, one.SpotPrice]),
    Array.from({ length: 2 }, () => ['open', 'pending-evaluation', undefined, '0.500000']),
  );
  t.deepEqual(await states(), ['open pending-evaluation', 'open pending-evaluation']);
  const [first = ''] = made.map((one) => one.SpotInstanceRequestId ?? '');
  await ec2.send(new CreateTagsCommand({ Resources: [first], Tags: [{ Key: 'c', Value: 'd' }] }));
  simulator.advance(3000);
  t.deepEqual(await states(), ['active fulfilled', 'active fulfilled']);
  const [one] = await list({ SpotInstanceRequestIds: [first] });
  t.deepEqual(
    one?.Tags?.map((tag) => tag.Key),
    ['a', 'c'],
  );
  const { Reservations } = await ec2.send(new DescribeInstancesCommand({ InstanceIds: [one?.InstanceId ?? ''] }));
  t.like(Reservations?.[0]?.Instances?.[0], {
    InstanceLifecycle: 'spot',
    SpotInstanceRequestId: first,
    State: { Name: 'running' },
  });
  const { Tags } = await ec2.send(new DescribeTagsCommand({ Filters: [{ Name: 'resource-id', Values: [first] }] }));
  t.is(Tags?.length, 2);
});

test('a request without capacity stays open until there is some', async (t) => {
  const { ask, states, simulator } = await openSpot(t, { knobs: { capacity: [{ market: 'spot', count: 0 }] } });
  await ask();
  simulator.advance(1000);
  t.deepEqual(await states(), ['open capacity-not-available']);
  simulator.setKnobs({ capacity: [], prices: [{ market: 'spot', price: 9 }] });
  simulator.advance(10_000);
  t.deepEqual(await states(), ['open price-too-low']);
  simulator.setKnobs({ prices: [] });
  simulator.advance(10_000);
  t.deepEqual(await states(), ['active fulfilled']);
});

test('a cancelled request gets no machine, and its machine runs on', async (t) => {
  const { ec2, ask, cancel, list, states, simulator } = await openSpot(t);
  const [early] = await ask();
  const [late] = await ask();
  const id = (one: typeof early) => one?.SpotInstanceRequestId ?? '';
  t.deepEqual(await cancel([id(early)]), [{ SpotInstanceRequestId: id(early), State: 'cancelled' }]);
  simulator.advance(5000);
  await cancel([id(late)]);
  t.deepEqual(await states(), [
    'cancelled canceled-before-fulfillment',
    'cancelled request-canceled-and-instance-running',
  ]);
  const [running] = await list({ SpotInstanceRequestIds: [id(late)] });
  await ec2.send(new TerminateInstancesCommand({ InstanceIds: [running?.InstanceId ?? ''] }));
  t.deepEqual((await states())[1], 'cancelled instance-terminated-by-user');
  t.is(await codeOf(cancel(['sir-00000000'])), 'InvalidSpotInstanceRequestID.NotFound');
  t.is(await codeOf(cancel(['spot'])), 'InvalidSpotInstanceRequestID.Malformed');
  const direct = await ec2.send(launch({ InstanceMarketOptions: { MarketType: 'spot' } }));
  const [machine] = direct.Instances ?? [];
  await ec2.send(new TerminateInstancesCommand({ InstanceIds: [machine?.InstanceId ?? ''] }));
  t.is((await cancel([machine?.SpotInstanceRequestId ?? '']))?.[0]?.State, 'closed');
});

test('a request is valid between two times', async (t) => {
  const { ask, states, simulator } = await openSpot(t, { knobs: { capacity: [{ market: 'spot', count: 0 }] } });
  const at = (seconds: number) => new Date(simulator.clock.now() + seconds * 1000);
  await ask({ ValidFrom: at(10), ValidUntil: at(20) });
  t.deepEqual(await states(), ['open not-scheduled-yet']);
  simulator.advance(12_000);
  t.deepEqual(await states(), ['open capacity-not-available']);
  simulator.setKnobs({ capacity: [] });
  simulator.advance(8000);
  const [after] = await states();
  t.true(after === 'active fulfilled' || after === 'closed schedule-expired', after);
  t.is(await codeOf(ask({ ValidUntil: at(-1) })), 'InvalidParameterValue');
});

test('requests are listed page by page among those of machines, and a token makes them once', async (t) => {
  const { ec2, ask, list, simulator } = await openSpot(t);
  await ec2.send(launch({ MaxCount: 3, InstanceMarketOptions: { MarketType: 'spot' } }));
  const made = await ask({ InstanceCount: 4, ClientToken: 'one', ValidFrom: new Date(simulator.clock.now() + 9e6) });
  const again = await ask({ InstanceCount: 4, ClientToken: 'one', ValidFrom: new Date(simulator.clock.now() + 9e6) });
  t.deepEqual(
    again.map((one) => one.SpotInstanceRequestId),
    made.map((one) => one.SpotInstanceRequestId),
  );
  await ec2.send(launch({ InstanceMarketOptions: { MarketType: 'spot' } }));
  const first = await ec2.send(new DescribeSpotInstanceRequestsCommand({ MaxResults: 5 }));
  const second = await ec2.send(
    new DescribeSpotInstanceRequestsCommand({ MaxResults: 5, NextToken: first.NextToken }),
  );
  const both = [...(first.SpotInstanceRequests ?? []), ...(second.SpotInstanceRequests ?? [])];
  t.is(second.NextToken, undefined);
  t.deepEqual(
    both.map((one) => one.SpotInstanceRequestId),
    (await list()).map((one) => one.SpotInstanceRequestId),
  );
  t.is(both.length, 8);
  t.is((await list({ Filters: [{ Name: 'state', Values: ['open'] }] })).length, 4);
});

for (const [what, input, code] of [
  ['no specification', { LaunchSpecification: undefined }, 'MissingParameter'],
  ['a count of none', { InstanceCount: 0 }, 'InvalidParameterValue'],
  ['a persistent request', { Type: 'persistent' }, 'UnsupportedOperation'],
  [
    'tags of machines',
    { TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'a', Value: 'b' }] }] },
    'InvalidParameterValue',
  ],
  ['a wrong image', { LaunchSpecification: { ImageId: 'image' } }, 'InvalidAMIID.Malformed'],
  ['a dry run', { DryRun: true }, 'DryRunOperation'],
] as const) {
  test(`RequestSpotInstances with ${what} is refused with ${code}`, async (t) => {
    const { ask, list } = await openSpot(t);
    t.is(await codeOf(ask(input as unknown as Partial<RequestSpotInstancesCommandInput>)), code);
    t.deepEqual(await list(), []);
  });
}

test('a request above the quota is refused as a whole', async (t) => {
  const { ask, list } = await openSpot(t, { knobs: { quotas: { spot_machines: 1 } } });
  t.is(await codeOf(ask({ InstanceCount: 2 })), 'MaxSpotInstanceCountExceeded');
  t.deepEqual(await list(), []);
});
