import { writeFile } from 'node:fs/promises';
import type { ExecutionContext } from 'ava';
import { bootBroker, makePlace, type BootedBroker } from '../../support/boot-broker.ts';
import { fastClock } from '../../support/fast-clock.ts';
import { limitedTests } from '../../support/limited-tests.ts';

const test = limitedTests(3);

const QueueUrl = 'https://sqs.us-east-1.amazonaws.com/000000000000/events';
const apis: Readonly<Record<string, object>> = {
  RunInstances: { provider_api: 'RunInstances' },
  'EC2Fleet instant': { provider_api: 'EC2Fleet' },
  'EC2Fleet request': { provider_api: 'EC2Fleet', fleet_type: 'request' },
  'EC2Fleet maintain': { provider_api: 'EC2Fleet', fleet_type: 'maintain' },
  'SpotFleet request': { provider_api: 'SpotFleet' },
  'SpotFleet maintain': { provider_api: 'SpotFleet', fleet_type: 'maintain' },
  ASG: { provider_api: 'ASG' },
};

/** A broker whose Spot machines are replaced; its times pass in a tenth. */
async function open(t: ExecutionContext, template: object): Promise<BootedBroker> {
  const templates = [
    {
      template_id: 'spot',
      image_id: 'ami-1',
      machine_types: { 't3.small': 1, 't3.medium': 1 },
      price_type: 'spot',
      subnet_ids: ['subnet-1', 'subnet-2'],
      on_rebalance: 'replace',
      rebalance_drain: 50,
      ...template,
    },
  ];
  const place = await makePlace({
    templates,
    knobs: {
      queues: { names: ['events'] },
      groups: { react_ms: 30, health_ms: 100, retry_ms: 200, delete_ms: 50 },
    },
  });
  t.teardown(place.close);
  const config = {
    endpoint_url: place.simulator.url,
    access_key_id: 'AKIATEST',
    secret_access_key: 'test',
    interruption_queue: { url: QueueUrl },
  };
  const configuration = {
    plugins: [
      'cloud',
      'cloud-runinstances',
      'cloud-ec2fleet',
      'cloud-spotfleet',
      'cloud-asg',
      'default-format',
      'hostfactory-format',
      'storage-sqlite',
    ],
    storage: { type: 'sqlite' },
    providers: [{ name: 'east', type: 'cloud', config }],
    server: { rate_limit: { enabled: false } },
  };
  await writeFile(`${place.directory}/muster.config.json`, JSON.stringify(configuration));
  const broker = await bootBroker({ place, clock: fastClock(10) });
  t.teardown(broker.close);
  return broker;
}

const pause = (ms: number) => new Promise((resolve) => void setTimeout(resolve, ms));

async function order({ call, until }: BootedBroker, machine_count: number): Promise<string> {
  const { body } = await call('POST', '/machines/request', { template_id: 'spot', machine_count });
  await until(async () => (await call('GET', `/requests/${body.request_id}/status`)).body.status === 'completed');
  return body.request_id;
}

const machinesOf = async ({ call }: BootedBroker, id: string): Promise<any[]> =>
  (await call('GET', `/requests/${id}/status`)).body.machines;
const live = ({ simulator }: BootedBroker, id: string): readonly string[] =>
  (simulator.ledger().live[id] ?? []).toSorted();
/** How many machines were ever started. */
const started = ({ simulator }: BootedBroker): number =>
  [...simulator.state.regions()].reduce((sum, { instances }) => sum + [...instances].length, 0);
/** A pool of a machine, as AWS sees it. */
const poolOf = ({ machine_type, zone, market }: any): string => `${machine_type} ${zone} ${market}`;

for (const [name, template] of Object.entries(apis)) {
  test(`${name}: a recommended machine is replaced once, from another pool, and the cloud refills nothing`, async (t) => {
    t.timeout(120_000);
    const broker = await open(t, template);
    const id = await order(broker, 3);
    const before = live(broker, id);
    const [victim = ''] = before;
    broker.simulator.setKnobs({ rebalance: [{ instance_ids: [victim] }] });

    const old = await broker.until(async () =>
      (await machinesOf(broker, id)).find(({ machine_id, replaced_by }) => machine_id === victim && replaced_by),
    );
    t.truthy(old.rebalance_at);
    t.truthy(old.release_at);
    const shown = await machinesOf(broker, id);
    const replacement = shown.find(({ machine_id }) => machine_id === old.replaced_by);
    t.like(replacement, { status: 'running', replaces: victim, market: 'spot' });
    // A group starts machines of all its types in all its subnets, so it cannot leave out one pool.
    if (name !== 'ASG') t.not(poolOf(replacement), poolOf(old));
    const { body: reclaimed } = await broker.call('POST', '/machines/reclaimed', { machine_ids: before });
    t.is(reclaimed.machines.length, 1);
    t.like(reclaimed.machines[0], { machine_id: victim, reason: `Machine ${old.replaced_by} replaces it.` });

    await broker.until(async () => !live(broker, id).includes(victim));
    const after = [...before.filter((each) => each !== victim), old.replaced_by].toSorted();
    await pause(2_000);
    t.deepEqual(live(broker, id), after);
    t.is(started(broker), 4);
    const { body } = await broker.call('GET', `/requests/${id}/status`);
    t.like(body, { status: 'completed', fulfilment: { delivered: 3 } });

    await broker.call('POST', '/machines/return', { machine_ids: after });
    await broker.until(async () => {
      const { live: left, fleets, spot_fleets, groups } = broker.simulator.ledger();
      return Object.keys(left).length + fleets.length + spot_fleets.length + groups.length === 0;
    });
    t.is(started(broker), 4);
  });

  test(`${name}: a machine that the cloud takes while its replacement starts is replaced once`, async (t) => {
    t.timeout(120_000);
    const broker = await open(t, template);
    const id = await order(broker, 2);
    const before = live(broker, id);
    const [victim = ''] = before;
    broker.simulator.setKnobs({ boot_ms: 4_000 });
    broker.simulator.setKnobs({ rebalance: [{ instance_ids: [victim] }] });
    await broker.until(async () => live(broker, id).length === 3);
    broker.simulator.setKnobs({ reclaim: [{ instance_ids: [victim], notice_s: 0 }] });
    await broker.until(async () => !live(broker, id).includes(victim));
    await broker.until(async () => (await machinesOf(broker, id)).some(({ replaces }) => replaces === victim));
    await broker.until(async () => live(broker, id).length === 2);
    await pause(2_000);
    t.is(live(broker, id).length, 2, 'neither a refill nor a second replacement');
    await broker.call('POST', '/machines/return', { machine_ids: live(broker, id) });
    await broker.until(async () => Object.keys(broker.simulator.ledger().live).length === 0);
  });
}

test('HostFactory gets the replaced machine from getReturnRequests, and the new one in the status', async (t) => {
  t.timeout(120_000);
  const broker = await open(t, { ...apis['RunInstances'], rebalance_drain: 600 });
  const id = await order(broker, 2);
  const [victim = '', other = ''] = live(broker, id);
  const hostfactory = { 'x-scheduler': 'hostfactory' };
  const status = async () => (await broker.call('GET', `/requests/${id}/status`, undefined, hostfactory)).body;
  const returns = async () =>
    (await broker.call('POST', '/machines/reclaimed', { machine_ids: [victim, other] }, hostfactory)).body.requests;
  t.deepEqual(await returns(), []);
  broker.simulator.setKnobs({ rebalance: [{ instance_ids: [victim] }] });
  const [told] = await broker.until(async () => {
    const now = await returns();
    return now.length > 0 && now;
  });
  t.is(told.machineId, victim);
  t.true(told.gracePeriod > 0 && told.gracePeriod <= 600);
  const { requests } = await status();
  const { status: word, machines } = requests[0];
  t.is(word, 'complete');
  const results = machines.map(({ machineId, result }: any) => [machineId === other, result]);
  t.deepEqual(results.toSorted(), [
    [false, 'succeed'],
    [true, 'succeed'],
  ]);
  t.false(machines.some(({ machineId }: any) => machineId === victim));

  await broker.call('POST', '/machines/return', { machine_ids: [victim] });
  await broker.until(async () => !live(broker, id).includes(victim));
  t.deepEqual(await returns(), [], 'it was returned');
  t.is(live(broker, id).length, 2);
});
