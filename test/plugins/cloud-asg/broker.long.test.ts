import { limitedTests } from '../../support/limited-tests.ts';
import type { KnobChange } from '../../../plugins/cloud-simulator/knobs/knobs.ts';
import { bootBroker, makePlace, type BootedBroker, type BootOptions } from '../../support/boot-broker.ts';
import { fastClock } from '../../support/fast-clock.ts';

const test = limitedTests(4);

const quick = { react_ms: 30, health_ms: 100, retry_ms: 200, delete_ms: 50 };

const optionsOf = (template: object, knobs: KnobChange = {}): BootOptions => ({
  // What is waited for is waited for in a tenth of the time.
  clock: fastClock(10),
  knobs: { groups: quick, ...knobs },
  templates: [
    {
      template_id: 'group',
      provider_api: 'AutoScalingGroup',
      image_id: 'ami-1',
      machine_type: 't3.small',
      subnet_ids: ['subnet-1'],
      ...template,
    },
  ],
  configuration: { plugins: ['cloud', 'cloud-asg', 'default-format', 'storage-sqlite'], storage: { type: 'sqlite' } },
});

async function order({ call }: BootedBroker, machine_count: number): Promise<string> {
  const { body } = await call('POST', '/machines/request', { template_id: 'group', machine_count });
  return body.request_id;
}

const ended = ({ call, until }: BootedBroker, id: string) =>
  until(async () => {
    const { body } = await call('GET', `/requests/${id}/status`);
    return ['completed', 'failed', 'cancelled'].includes(body.status) && body;
  });

const live = ({ simulator }: { simulator: BootedBroker['simulator'] }, id: string) =>
  (simulator.ledger().live[id] ?? []).toSorted();

const clean = ({ simulator, until }: BootedBroker) =>
  until(async () => {
    const { live: left, groups, templates, untagged } = simulator.ledger();
    return Object.keys(left).length + groups.length + templates.length + untagged.length === 0;
  });

const pause = (ms: number) => new Promise((resolve) => void setTimeout(resolve, ms));
const launched = ({ simulator }: BootedBroker) =>
  simulator.audit().filter(({ action }) => action === 'CreateAutoScalingGroup').length;

const templates = {
  'one type': {},
  Spot: { machine_type: undefined, machine_types: { 't3.small': 1, 't3.medium': 1 }, price_type: 'spot' },
  'mixed with weights': {
    machine_type: undefined,
    machine_types: { 't3.small': 2, 't3.medium': 2 },
    price_type: 'mixed',
    percent_on_demand: 50,
  },
};
for (const [name, template] of Object.entries(templates)) {
  test(`${name}: machines come, some go, the rest goes, and nothing is left`, async (t) => {
    const broker = await bootBroker(optionsOf(template));
    t.teardown(broker.close);
    const id = await order(broker, 4);
    t.is((await ended(broker, id)).status, 'completed');
    const [first, ...others] = live(broker, id);
    t.is(others.length, 3);
    await broker.call('POST', '/machines/return', { machine_ids: [first] });
    await broker.until(async () => !live(broker, id).includes(first ?? ''));
    await pause(1_000);
    t.deepEqual(live(broker, id), others);
    await broker.call('POST', '/machines/return', { machine_ids: others });
    await clean(broker);
    t.is(launched(broker), 1);
  });
}

test('a group that lacks capacity is stopped with a shortfall and gets no machines when capacity returns', async (t) => {
  const broker = await bootBroker(optionsOf({}, { capacity: [{ count: 2 }] }));
  t.teardown(broker.close);
  const id = await order(broker, 5);
  const request = await ended(broker, id);
  t.is(request.status, 'completed');
  t.is(live(broker, id).length, 2);
  broker.simulator.setKnobs({ capacity: [] });
  await pause(1_500);
  t.is(live(broker, id).length, 2);
  await broker.call('POST', '/machines/return', { machine_ids: live(broker, id) });
  await clean(broker);
});

test('machines that Spot lacks are ordered on demand after the group was stopped', async (t) => {
  const broker = await bootBroker(optionsOf({ price_type: 'mixed' }, { capacity: [{ market: 'spot', count: 1 }] }));
  t.teardown(broker.close);
  const id = await order(broker, 5);
  t.is((await ended(broker, id)).status, 'completed');
  t.is(live(broker, id).length, 5);
  t.is(launched(broker), 2);
  broker.simulator.setKnobs({ capacity: [] });
  await pause(1_500);
  t.is(live(broker, id).length, 5, 'the first group does not go on');
  await broker.call('POST', '/machines/return', { machine_ids: live(broker, id) });
  await clean(broker);
});

test('a group that heavy machines fill early is completed by another order', async (t) => {
  const heavy = { machine_type: undefined, machine_types: { 't3.small': 1, 't3.medium': 2 } };
  const broker = await bootBroker(optionsOf(heavy, { capacity: [{ instance_type: 't3.small', count: 1 }] }));
  t.teardown(broker.close);
  const id = await order(broker, 5);
  t.is((await ended(broker, id)).status, 'completed');
  t.is(live(broker, id).length, 5);
  await broker.call('POST', '/machines/return', { machine_ids: live(broker, id) });
  await clean(broker);
});

test('a cancelled request leaves nothing although machines were starting', async (t) => {
  const broker = await bootBroker(optionsOf({}, { groups: { ...quick, react_ms: 300 } }));
  t.teardown(broker.close);
  const id = await order(broker, 4);
  await broker.until(async () => broker.simulator.ledger().groups.length > 0);
  await broker.call('DELETE', `/requests/${id}`);
  t.is((await ended(broker, id)).status, 'cancelled');
  await clean(broker);
});

for (const action of ['CreateAutoScalingGroup', 'SuspendProcesses']) {
  test(`a lost answer to ${action} doubles nothing, also when the broker ends over it`, async (t) => {
    const options = optionsOf({}, { faults: [{ action, times: 3, effect: 'execute', then: 'drop' }] });
    const place = await makePlace(options);
    t.teardown(place.close);
    const first = await bootBroker({ ...options, place });
    const id = await order(first, 3);
    await first.until(async () => place.simulator.ledger().groups.length > 0);
    await first.close();
    const broker = await bootBroker({ ...options, place });
    t.teardown(broker.close);
    t.is((await ended(broker, id)).status, 'completed');
    t.is(live(broker, id).length, 3);
    t.is(place.simulator.ledger().groups.length, 1);
    await broker.call('POST', '/machines/return', { machine_ids: live(broker, id) });
    await clean(broker);
  });
}

for (const action of [
  'SuspendProcesses',
  'TerminateInstances',
  'UpdateAutoScalingGroup',
  'DeleteAutoScalingGroup',
  'DeleteLaunchTemplate',
]) {
  test(`a return that breaks off at ${action}, and a broker that ends over it, lose and leave nothing`, async (t) => {
    const options = optionsOf({});
    const place = await makePlace(options);
    t.teardown(place.close);
    const first = await bootBroker({ ...options, place });
    const id = await order(first, 4);
    await ended(first, id);
    const [gone = '', ...others] = live(first, id);
    place.simulator.setKnobs({ faults: [{ action, times: 2, effect: 'execute', then: 'drop' }] });
    await first.call('POST', '/machines/return', { machine_ids: [gone] });
    await pause(200);
    await first.close();
    const broker = await bootBroker({ ...options, place });
    t.teardown(broker.close);
    await broker.until(async () => !live(broker, id).includes(gone));
    await pause(1_000);
    t.deepEqual(live(broker, id), others);
    await broker.call('POST', '/machines/return', { machine_ids: others });
    await clean(broker);
  });
}

test('a machine that Spot reclaims is lost and not replaced by its group', async (t) => {
  const broker = await bootBroker(optionsOf({ price_type: 'spot' }));
  t.teardown(broker.close);
  const id = await order(broker, 3);
  await ended(broker, id);
  const [lost = '', ...others] = live(broker, id);
  broker.simulator.setKnobs({ reclaim: [{ instance_ids: [lost], notice_s: 0 }] });
  await broker.until(async () => !live(broker, id).includes(lost));
  await pause(2_000);
  t.deepEqual(live(broker, id), others);
  await broker.call('POST', '/machines/return', { machine_ids: others });
  await clean(broker);
});
