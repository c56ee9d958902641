import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { limitedTests } from '../../support/limited-tests.ts';
import { bootBroker, makePlace, type BootedBroker, type BootOptions } from '../../support/boot-broker.ts';
import { fastClock } from '../../support/fast-clock.ts';
import type { KnobChange } from '../../../plugins/cloud-simulator/knobs/knobs.ts';
import { maintaining, ways, type Way } from './fleet-support.ts';

const test = limitedTests(4);

const quick = { start_ms: 20, launch_ms: 50, retry_ms: 200, modify_ms: 50, notice_ms: 100, history_ms: 0 };

const options = (way: Way, template: object = {}, knobs: KnobChange = {}): BootOptions => ({
  // The fleet is given up on, and its last machines are waited for, in a fraction of the time.
  clock: fastClock(20),
  knobs: { fleets: quick, ...knobs },
  templates: [
    {
      template_id: 'fleet',
      provider_api: way.api.name,
      fleet_type: way.fleet_type,
      image_id: 'ami-1',
      machine_types: { 't3.small': 1, 't3.medium': 1 },
      subnet_ids: ['subnet-1'],
      price_type: 'spot',
      ...template,
    },
  ],
  configuration: {
    plugins: ['cloud', 'cloud-ec2fleet', 'cloud-spotfleet', 'default-format', 'storage-memory'],
    storage: { type: 'memory' },
  },
});

const boot = (...about: Parameters<typeof options>): Promise<BootedBroker> => bootBroker(options(...about));

async function order({ call }: BootedBroker, machine_count: number): Promise<string> {
  const { body } = await call('POST', '/machines/request', { template_id: 'fleet', machine_count });
  return body.request_id;
}

const ended = ({ call, until }: BootedBroker, id: string) =>
  until(async () => {
    const { body } = await call('GET', `/requests/${id}/status`);
    const [request] = body.requests ?? [body];
    return ['complete', 'completed', 'failed', 'cancelled', 'complete_with_error'].includes(request.status) && request;
  });

const live = ({ simulator }: BootedBroker, id: string) => (simulator.ledger().live[id] ?? []).toSorted();

const clean = ({ simulator, until }: BootedBroker) =>
  until(async () => {
    const { live: left, fleets, spot_fleets, templates } = simulator.ledger();
    return Object.keys(left).length + fleets.length + spot_fleets.length + templates.length === 0;
  });

/** Fleets that were ever made. */
const fleetsMade = async ({ simulator }: BootedBroker) =>
  simulator
    .audit()
    .filter(({ action, executed }) => (action === 'CreateFleet' || action === 'RequestSpotFleet') && executed).length;

const pause = (ms: number) => new Promise((resolve) => void setTimeout(resolve, ms));

for (const way of ways) {
  test(`${way.name}: machines come, some go, the rest goes, and nothing is left`, async (t) => {
    const broker = await boot(way);
    t.teardown(broker.close);
    const id = await order(broker, 4);
    await ended(broker, id);
    const [first, ...others] = live(broker, id);
    t.is(others.length, 3);
    await broker.call('POST', '/machines/return', { machine_ids: [first] });
    await broker.until(async () => !live(broker, id).includes(first ?? ''));
    await pause(1_000);
    t.deepEqual(live(broker, id), others);
    await broker.call('POST', '/machines/return', { machine_ids: others });
    await clean(broker);
    t.is(
      Object.values(broker.simulator.ledger().launches).reduce((a, b) => a + b, 0),
      4,
    );
  });

  test(`${way.name}: what Spot does not give is had on demand, after the fleet was stopped`, async (t) => {
    const broker = await boot(way, { price_type: 'mixed' }, { capacity: [{ market: 'spot', count: 1 }] });
    t.teardown(broker.close);
    const id = await order(broker, 5);
    await ended(broker, id);
    t.is(live(broker, id).length, 5);
    t.true((await fleetsMade(broker)) > 1);
    broker.simulator.setKnobs({ capacity: [] });
    await pause(1_500);
    t.is(live(broker, id).length, 5, 'the first fleet does not go on');
    await broker.call('POST', '/machines/return', { machine_ids: live(broker, id) });
    await clean(broker);
  });

  test(`${way.name}: what one instance does not give comes from the next, after the fleet was stopped`, async (t) => {
    const config = (region: string) => ({
      endpoint_url: '',
      region,
      access_key_id: 'AKIATEST',
      secret_access_key: 'test',
    });
    const place = await makePlace(
      options(way, { subnet_ids: undefined }, { capacity: [{ zone: 'us-east-1*', count: 0 }] }),
    );
    t.teardown(place.close);
    const endpoint_url = place.simulator.url;
    const providers = ['us-east-1', 'us-west-2'].map((region, index) => ({
      name: region,
      type: 'cloud',
      priority: index + 1,
      config: { ...config(region), endpoint_url },
    }));
    await writeFile(
      join(place.directory, 'muster.config.json'),
      JSON.stringify({ ...options(way).configuration, scheduler: 'default', providers }),
    );
    const broker = await bootBroker({ ...options(way), place });
    t.teardown(broker.close);
    const id = await order(broker, 3);
    const { machines } = await ended(broker, id);
    t.deepEqual(new Set(machines.map((machine: { provider_name?: string }) => machine.provider_name)).size, 1);
    t.is(live(broker, id).length, 3);
    broker.simulator.setKnobs({ capacity: [] });
    await pause(1_000);
    t.is(live(broker, id).length, 3, 'the first fleet does not go on');
    await broker.call('POST', '/machines/return', { machine_ids: live(broker, id) });
    await clean(broker);
  });

  test(`${way.name}: a cancelled request leaves nothing`, async (t) => {
    const broker = await boot(way, {}, { fleets: { ...quick, start_ms: 300, launch_ms: 300 } });
    t.teardown(broker.close);
    const id = await order(broker, 4);
    await broker.until(
      async () => broker.simulator.ledger().fleets.length + broker.simulator.ledger().spot_fleets.length > 0,
    );
    await broker.call('DELETE', `/requests/${id}`);
    await clean(broker);
    t.deepEqual(live(broker, id), []);
  });
}

for (const way of ways.filter(({ api }) => api.name === 'EC2Fleet')) {
  test(`${way.name}: a request that keeps trying gets its machines when there are some again, by another fleet`, async (t) => {
    const broker = await bootBroker({
      ...options(way, { retry_until_timeout: true }, { capacity: [{ count: 1 }] }),
      settings: { offer_memory_ms: 40_000 },
    });
    t.teardown(broker.close);
    const id = await order(broker, 4);
    await broker.until(async () => (await fleetsMade(broker)) > 1);
    t.is(live(broker, id).length, 2);
    broker.simulator.setKnobs({ capacity: [] });
    await ended(broker, id);
    t.is(live(broker, id).length, 4);
    await broker.call('POST', '/machines/return', { machine_ids: live(broker, id) });
    await clean(broker);
  });
}

for (const way of maintaining) {
  for (const [replace_lost, returned] of [
    [false, 0],
    [false, 1],
    [true, 0],
    [true, 1],
  ] as const) {
    const after = returned ? ', also after a return' : '';
    test(`${way.name}: a machine taken back is ${replace_lost ? 'replaced' : 'not replaced'} with replace_lost ${replace_lost}${after}`, async (t) => {
      const broker = await boot(way, { replace_lost });
      t.teardown(broker.close);
      const id = await order(broker, 3 + returned);
      await ended(broker, id);
      const [first = '', second = ''] = live(broker, id);
      if (returned) await broker.call('POST', '/machines/return', { machine_ids: [second] });
      await broker.until(async () => live(broker, id).length === 3);
      // The fleet has been told of it.
      if (returned) await pause(500);
      const lost = first;
      const others = live(broker, id).filter((machine) => machine !== lost);
      broker.simulator.setKnobs({ reclaim: [{ instance_ids: [lost], notice_s: 0 }] });
      await broker.until(async () => !live(broker, id).includes(lost));
      // Long enough for a look and, without replace_lost, for the fleet to learn that one fewer is wanted.
      await pause(5_000);
      t.is(live(broker, id).length, replace_lost ? 3 : 2);
      t.true(others.every((machine) => live(broker, id).includes(machine)));
      await broker.call('POST', '/machines/return', { machine_ids: live(broker, id) });
      await clean(broker);
    });
  }
}
