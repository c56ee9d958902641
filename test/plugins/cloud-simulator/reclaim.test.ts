import {
  DescribeInstancesCommand,
  DescribeSpotInstanceRequestsCommand,
  type EC2Client,
  type Instance,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import test from 'ava';
import { launch, openCloud } from './support.ts';

const spot = { InstanceMarketOptions: { MarketType: 'spot' as const } };

test('a machine that is taken back is announced while it runs on, and ends when the notice is over', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const [id = ''] = await start(ec2, { ...spot });
  simulator.advance(2000);
  simulator.setKnobs({ reclaim: [{ instance_ids: [id], notice_s: 120 }] });
  t.is((await machine(ec2, id))?.State?.Name, 'running');
  t.deepEqual(await request(ec2, id), ['closed', 'instance-terminated-no-capacity']);
  simulator.advance(119_000);
  t.is((await machine(ec2, id))?.State?.Name, 'running');
  simulator.advance(1000);
  t.is((await machine(ec2, id))?.State?.Name, 'shutting-down');
  simulator.advance(1000);
  const gone = await machine(ec2, id);
  t.is(gone?.State?.Name, 'terminated');
  t.is(gone?.StateReason?.Code, 'Server.SpotInstanceTermination');
  t.deepEqual(await request(ec2, id), ['closed', 'instance-terminated-no-capacity']);
});

test('without notice a machine ends at once', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { shutdown_ms: 0 } });
  const [id = ''] = await start(ec2, { ...spot });
  simulator.setKnobs({ reclaim: [{ notice_s: 0 }] });
  t.is((await machine(ec2, id))?.State?.Name, 'terminated');
});

test('a machine over whose offer the price has risen is marked first', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const [id = ''] = await start(ec2, {
    InstanceMarketOptions: { MarketType: 'spot', SpotOptions: { MaxPrice: '1' } },
  });
  simulator.setKnobs({ prices: [{ market: 'spot', price: 2 }], reclaim: [{ instance_ids: [id] }] });
  t.deepEqual(await request(ec2, id), ['active', 'marked-for-termination']);
  simulator.advance(120_000);
  t.deepEqual(await request(ec2, id), ['closed', 'instance-terminated-by-price']);
});

test('a machine that its owner ends during the notice is simply ended', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const [id = ''] = await start(ec2, { ...spot });
  simulator.setKnobs({ reclaim: [{ instance_ids: [id] }] });
  await ec2.send(new TerminateInstancesCommand({ InstanceIds: [id] }));
  simulator.advance(500_000);
  t.is((await machine(ec2, id))?.StateReason?.Code, 'Client.UserInitiatedShutdown');
  t.deepEqual(await request(ec2, id), ['closed', 'instance-terminated-by-user']);
  t.is(simulator.ledger().machine_seconds, 0);
});

test('a share of the live Spot machines is reclaimed once, at least one, and no On-Demand machine', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  await start(ec2, { ...spot, MaxCount: 10 });
  await start(ec2, { MaxCount: 10 });
  const live = () => simulator.ledger().untagged.length;
  simulator.setKnobs({ reclaim: [{ share: 0.34, notice_s: 0 }] });
  t.is(live(), 17);
  simulator.setKnobs({ capacity: [] });
  simulator.advance(3_000_000);
  t.is(live(), 17);
  simulator.setKnobs({ reclaim: [{ share: 0, notice_s: 0 }] });
  t.is(live(), 16);
  simulator.setKnobs({ reclaim: [{ share: 1, notice_s: 0 }] });
  t.is(live(), 10);
  simulator.setKnobs({ reclaim: [{ notice_s: 0 }] });
  t.is(live(), 10);
});

test('the same seed chooses the same machines', async (t) => {
  const choose = async () => {
    const { ec2, simulator } = await openCloud(t, { seed: 5 });
    const ids = await start(ec2, { ...spot, MaxCount: 10 });
    simulator.setKnobs({ reclaim: [{ share: 0.5, notice_s: 0 }] });
    const left = new Set(simulator.ledger().untagged);
    return ids.map((id) => left.has(id));
  };
  const chosen = await choose();
  t.deepEqual(chosen, await choose());
  t.is(chosen.filter(Boolean).length, 5);
});

test('a rule of one account concerns that account alone, and its share counts all regions together', async (t) => {
  const { ec2, client, simulator } = await openCloud(t);
  await start(ec2, { ...spot, MaxCount: 2 });
  await start(client({ region: 'eu-west-1' }), { ...spot, MaxCount: 2 });
  await start(client({ key: 'AKIATEST0002' }), { ...spot, MaxCount: 2 });
  simulator.setKnobs({ reclaim: [{ account: 'AKIATEST0001', share: 0.25, notice_s: 0 }] });
  t.is(simulator.ledger('AKIATEST0001').untagged.length, 3);
  t.is(simulator.ledger('AKIATEST0002').untagged.length, 2);
});

test('a rule with a later start takes effect then, also in a region that is not used yet', async (t) => {
  const { ec2, client, simulator } = await openCloud(t, {
    knobs: { reclaim: [{ share: 1, from_ms: 10_000, notice_s: 0 }] },
  });
  await start(ec2, { ...spot, MaxCount: 2 });
  simulator.advance(9000);
  await start(client({ region: 'eu-west-1' }), { ...spot, MaxCount: 2 });
  t.is(simulator.ledger().untagged.length, 4);
  simulator.advance(1000);
  t.is(simulator.ledger().untagged.length, 0);
  await start(ec2, { ...spot, MaxCount: 2 });
  simulator.advance(100_000);
  t.is(simulator.ledger().untagged.length, 2);
});

test('a rule that is removed before its start has no effect', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { reclaim: [{ from_ms: 10_000, notice_s: 0 }] } });
  await start(ec2, { ...spot });
  simulator.setKnobs({ reclaim: [] });
  simulator.advance(20_000);
  t.is(simulator.ledger().untagged.length, 1);
});

test('with after_ms machines launched later are taken back as long after they run', async (t) => {
  const { ec2, simulator } = await openCloud(t, {
    knobs: { reclaim: [{ share: 1, after_ms: 5000, notice_s: 0, until_ms: 60_000 }] },
  });
  await start(ec2, { ...spot, MaxCount: 3 });
  await start(ec2, { MaxCount: 3 });
  simulator.advance(6999);
  t.is(simulator.ledger().untagged.length, 6);
  simulator.advance(1);
  t.is(simulator.ledger().untagged.length, 3);
  simulator.advance(60_000);
  await start(ec2, { ...spot, MaxCount: 3 });
  simulator.advance(60_000);
  t.is(simulator.ledger().untagged.length, 6);
});

test('with after_ms and a share only some are taken back', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { reclaim: [{ share: 0.5, after_ms: 0, notice_s: 0 }] } });
  await start(ec2, { ...spot, MaxCount: 100 });
  simulator.advance(2000);
  const left = simulator.ledger().untagged.length;
  t.true(left > 25 && left < 75, `${left} are left`);
});

test('a later notice does not change the end that an earlier one announced', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { reclaim: [{ after_ms: 60_000 }] } });
  await start(ec2, { ...spot });
  simulator.setKnobs({ reclaim: [{ notice_s: 100 }] });
  simulator.advance(62_000);
  const { SpotInstanceRequests } = await ec2.send(new DescribeSpotInstanceRequestsCommand({}));
  t.is(SpotInstanceRequests?.[0]?.Status?.UpdateTime?.getTime(), simulator.clock.now() - 62_000);
  simulator.advance(37_999);
  t.is(simulator.ledger().untagged.length, 1);
  simulator.advance(1);
  t.is(simulator.ledger().untagged.length, 0);
});

test('a machine that stays pending for ever is not taken back by after_ms', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { stuck: [{}], reclaim: [{ after_ms: 0, notice_s: 0 }] } });
  const [id = ''] = await start(ec2, { ...spot });
  simulator.advance(86_400_000);
  t.is((await machine(ec2, id))?.State?.Name, 'pending');
});

async function start(ec2: EC2Client, input: Parameters<typeof launch>[0]): Promise<string[]> {
  const { Instances } = await ec2.send(launch(input));
  return Instances?.map((one) => one.InstanceId ?? '') ?? [];
}

async function machine(ec2: EC2Client, id: string): Promise<Instance | undefined> {
  return (await ec2.send(new DescribeInstancesCommand({ InstanceIds: [id] }))).Reservations?.[0]?.Instances?.[0];
}

async function request(ec2: EC2Client, id: string): Promise<(string | undefined)[]> {
  const Filters = [{ Name: 'instance-id', Values: [id] }];
  const one = (await ec2.send(new DescribeSpotInstanceRequestsCommand({ Filters }))).SpotInstanceRequests?.[0];
  return [one?.State, one?.Status?.Code];
}
