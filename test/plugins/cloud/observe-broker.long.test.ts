import { DescribeInstancesCommand, EC2Client, TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import test from 'ava';
import { bootBroker } from '../../support/boot-broker.ts';
import { fastClock } from '../../support/fast-clock.ts';

const pause = (ms: number) => new Promise((resolve) => void setTimeout(resolve, ms));

/** RunInstances in one zone, and a fleet that spreads over two. */
const templates = [
  {
    template_id: 'one',
    provider_api: 'RunInstances',
    image_id: 'ami-1',
    machine_type: 't3.small',
    subnet_ids: ['subnet-1'],
  },
  {
    template_id: 'spread',
    provider_api: 'EC2Fleet',
    fleet_type: 'maintain',
    price_type: 'spot',
    allocation_strategy: 'diversified',
    image_id: 'ami-1',
    machine_types: { 't3.small': 1 },
    subnet_ids: ['subnet-1', 'subnet-2'],
  },
];

test('a zone that stops answering for a while costs no request a machine, and losses elsewhere are seen meanwhile', async (t) => {
  t.timeout(300_000);
  const broker = await bootBroker({
    // Two misses make a loss after five minutes at the earliest: they pass in seconds.
    clock: fastClock(60),
    templates,
    knobs: { fleets: { start_ms: 20, launch_ms: 50, notice_ms: 3_600_000 } },
    configuration: {
      storage: { type: 'memory' },
      plugins: ['cloud', 'cloud-runinstances', 'cloud-ec2fleet', 'default-format', 'storage-memory'],
    },
  });
  t.teardown(broker.close);
  const { simulator, call, until } = broker;
  const order = async (template_id: string, machine_count: number): Promise<string> =>
    (await call('POST', '/machines/request', { template_id, machine_count })).body.request_id;
  const machinesOf = async (id: string): Promise<{ machine_id: string; status: string; data?: object }[]> => {
    const { body } = await call('GET', `/requests/${id}/status?long=true`);
    return (body.requests ?? [body])[0].machines ?? [];
  };
  const one = await order('one', 3);
  const spread = await order('spread', 6);
  await until(async () => (await machinesOf(one)).filter(({ status }) => status === 'running').length === 3);
  await until(async () => (await machinesOf(spread)).filter(({ status }) => status === 'running').length === 6);
  const launched = () => Object.values(simulator.ledger().launches).reduce((a, b) => a + b, 0);
  t.is(launched(), 9);
  await pause(3_000);

  const client = new EC2Client({
    endpoint: simulator.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'AKIATEST', secretAccessKey: 'test' },
  });
  t.teardown(() => client.destroy());
  const Filters = [
    { Name: 'availability-zone', Values: ['us-east-1c'] },
    { Name: 'tag:muster:request-id', Values: [spread] },
  ];
  const { Reservations = [] } = await client.send(new DescribeInstancesCommand({ Filters }));
  const elsewhere = Reservations.flatMap(({ Instances = [] }) => Instances.map(({ InstanceId = '' }) => InstanceId));
  t.is(elsewhere.length, 3, 'half of the fleet is in another zone');

  simulator.setKnobs({ outages: [{ zone: 'us-east-1b' }] });
  const [victim = ''] = elsewhere;
  await client.send(new TerminateInstancesCommand({ InstanceIds: [victim] }));
  await until(
    async () => (await machinesOf(spread)).find(({ machine_id }) => machine_id === victim)?.status === 'terminated',
  );
  // Ten minutes and more of the broker's time: two misses would be a loss after five.
  await pause(12_000);
  const running = async (id: string) => (await machinesOf(id)).filter(({ status }) => status === 'running').length;
  t.deepEqual([await running(one), await running(spread)], [3, 5]);

  simulator.setKnobs({ outages: [] });
  await pause(2_500);
  t.deepEqual([await running(one), await running(spread)], [3, 5]);
  const { live } = simulator.ledger();
  t.deepEqual([live[one]?.length, live[spread]?.length], [3, 5]);
  t.is(launched(), 9);
});
