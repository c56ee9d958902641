import { TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import test from 'ava';
import { isFault, type Observation } from '../../../core/index.ts';
import { fleetStage, maintaining } from './fleet-support.ts';

for (const way of maintaining) {
  test(`${way.name}: of a large fleet at rest it is only seen that it lives, until a machine is replaced`, async (t) => {
    t.timeout(300_000);
    const size = 1_200;
    const fleet = await fleetStage(way, size);
    t.teardown(fleet.close);
    await fleet.launch();
    await fleet.settle();
    for (let i = 0; i < 5; i++) {
      fleet.simulator.advance(1_000);
      await fleet.observe();
    }
    const known = fleet.refs();
    t.is(known.length, size);
    const observe = async (): Promise<Observation> => {
      const [seen] = await way.api.observe(
        fleet.session,
        [{ handle: fleet.handle, order: fleet.order, known, steady: true }],
        fleet.call,
      );
      if (!seen || isFault(seen)) throw seen;
      return seen;
    };
    const before = fleet.calls('DescribeInstances');
    const calm = await observe();
    t.is(fleet.calls('DescribeInstances'), before);
    t.true(calm.settled, 'it is as whole as when it is described');
    t.is(calm.machines.filter(({ status, ready }) => status === 'running' && ready).length, size);
    t.true(fleet.calls('DescribeSpotInstanceRequests') > 0);

    const victim = known[5]?.machine_id ?? '';
    await fleet.session.write(() => new TerminateInstancesCommand({ InstanceIds: [victim] }), fleet.call);
    for (let i = 0; i < 15; i++) fleet.simulator.advance(1_000);
    const { machines } = await observe();
    t.regex(machines.find(({ machine_id }) => machine_id === victim)?.status ?? '', /shutting-down|terminated/);
    const ids = new Set(known.map(({ machine_id }) => machine_id));
    const newcomers = machines.filter(({ machine_id }) => !ids.has(machine_id));
    t.is(newcomers.length, 1);
    t.not(newcomers[0]?.name, undefined);
    t.is(machines.length, size + 1);
  });
}

test('the reclaim of a Spot machine of a fleet at rest is reported with its time', async (t) => {
  t.timeout(300_000);
  const [way] = maintaining as [(typeof maintaining)[number]];
  const fleet = await fleetStage(way, 1_200);
  t.teardown(fleet.close);
  await fleet.launch();
  await fleet.settle();
  fleet.simulator.advance(5_000);
  await fleet.observe();
  const known = fleet.refs();
  const taken = known[3]?.machine_id ?? '';
  fleet.simulator.setKnobs({ reclaim: [{ instance_ids: [taken], notice_s: 120 }] });
  const before = fleet.calls('DescribeInstances');
  const [seen] = await way.api.observe(
    fleet.session,
    [{ handle: fleet.handle, order: fleet.order, known, steady: true }],
    fleet.call,
  );
  if (!seen || isFault(seen)) throw seen;
  t.is(fleet.calls('DescribeInstances'), before);
  t.deepEqual(
    seen.machines
      .filter(({ reclaim_at }) => typeof reclaim_at === 'string')
      .map(({ machine_id, ready }) => [machine_id, ready]),
    [[taken, true]],
  );
});
