import test from 'ava';
import { fleetStage, twoTypes, ways } from './fleet-support.ts';

const minute = 60_000;

for (const way of ways) {
  test(`${way.name}: machines come after the call, tagged by a launch template of the order's own`, async (t) => {
    const fleet = await fleetStage(way, 4, { ...twoTypes, tags: { team: 'blue' } });
    t.teardown(fleet.close);
    await fleet.launch();
    t.is(fleet.order.prepared.template.owner, 'order');
    t.false((await fleet.observe()).settled);
    t.deepEqual(fleet.live(), []);
    const { machines } = await fleet.settle();
    t.deepEqual(machines.map((machine) => machine.machine_id).toSorted(), fleet.live());
    t.is(fleet.live().length, 4);
    t.deepEqual(fleet.simulator.ledger().untagged, []);
    fleet.simulator.advance(5 * minute);
    t.true((await fleet.observe()).settled);
    t.is(fleet.live().length, 4);
  });

  test(`${way.name}: one that gets nothing more says why, and is stopped with what it has`, async (t) => {
    const fleet = await fleetStage(way, 5);
    t.teardown(fleet.close);
    fleet.simulator.setKnobs({
      capacity: [
        { instance_type: 'm5.large', count: 0 },
        { instance_type: 'c5.large', count: 2 },
      ],
    });
    await fleet.launch();
    fleet.simulator.advance(5_000);
    const early = await fleet.observe();
    t.is(early.machines.length, 2);
    t.is(early.stuck, undefined, 'others may still come, and the history is late');
    fleet.simulator.advance(45_000);
    const seen = await fleet.observe();
    t.true(seen.stuck);
    t.false(seen.settled);
    t.deepEqual(
      seen.shortfall?.map(({ offer, kind, code }) => [offer, kind, code]).toSorted(),
      ['c5.large|subnet-1|spot', 'm5.large|subnet-1|spot'].map((key) => [
        key,
        'capacity',
        'InsufficientInstanceCapacity',
      ]),
    );
    await fleet.release({ go: [], stay: fleet.refs(), incoming: 0 });
    t.true((await fleet.observe()).settled);
    fleet.simulator.setKnobs({ capacity: [] });
    fleet.simulator.advance(10 * minute);
    t.is(fleet.live().length, 2, 'nothing comes any more, although there is room now');
  });

  test(`${way.name}: one that has its share on demand and no Spot is stuck all the same`, async (t) => {
    const fleet = await fleetStage(way, 4, { ...twoTypes, price_type: 'mixed', percent_on_demand: 50 });
    t.teardown(fleet.close);
    fleet.simulator.setKnobs({ capacity: [{ market: 'spot', count: 0 }] });
    await fleet.launch();
    fleet.simulator.advance(5_000);
    t.is((await fleet.observe()).machines.length, 2);
    fleet.simulator.advance(45_000);
    const seen = await fleet.observe();
    t.true(seen.stuck);
    t.true(seen.shortfall?.every(({ offer }) => offer?.endsWith('|spot')));
  });

  test(`${way.name}: one whose machines failed before anybody looked is settled all the same`, async (t) => {
    const fleet = await fleetStage(way, 4, twoTypes, { late_failures: [{ times: 2 }] });
    t.teardown(fleet.close);
    await fleet.launch();
    fleet.simulator.advance(20_000);
    const { machines } = await fleet.settle();
    const running = machines.filter(({ status }) => status !== 'terminated').length;
    t.is(running, way.fleet_type === 'maintain' ? 4 : 2);
    t.is(machines.length, way.fleet_type === 'maintain' ? 6 : 4);
  });

  test(`${way.name}: exactly the machines named go, and none comes back`, async (t) => {
    const fleet = await fleetStage(way, 5);
    t.teardown(fleet.close);
    await fleet.launch();
    await fleet.settle();
    const [first = '', second = '', ...stay] = fleet.live();
    await fleet.release({ go: fleet.refs(first, second), stay: fleet.refs(...stay), incoming: 0 });
    fleet.simulator.advance(minute);
    t.deepEqual(fleet.live(), stay);
    t.true((await fleet.observe()).settled);
    // What was said is said again by a successor.
    await fleet.release({ go: fleet.refs(first, second), stay: fleet.refs(...stay), incoming: 0 });
    fleet.simulator.advance(minute);
    t.deepEqual(fleet.live(), stay);
  });

  test(`${way.name}: of one that still fills machines may go, and the others are not lost`, async (t) => {
    const fleet = await fleetStage(way, 5);
    t.teardown(fleet.close);
    fleet.simulator.setKnobs({
      capacity: [
        { instance_type: 'm5.large', count: 2 },
        { instance_type: 'c5.large', count: 1 },
      ],
    });
    await fleet.launch();
    fleet.simulator.advance(4_000);
    await fleet.observe();
    const [gone = '', ...stay] = fleet.live();
    t.is(stay.length, 2);
    const aim = { go: fleet.refs(gone), stay: fleet.refs(...stay), incoming: 2 };
    await fleet.release(aim);
    fleet.simulator.setKnobs({ capacity: [] });
    fleet.simulator.advance(5 * minute);
    await fleet.settle();
    const live = fleet.live();
    t.false(live.includes(gone));
    t.true(stay.every((id) => live.includes(id)));
    t.is(
      live.length,
      way.fleet_type === 'maintain' ? 4 : 2,
      'a fleet of type request is stopped, and the rest is ordered anew',
    );
  });

  test(`${way.name}: when all go, fleet and launch template go with them`, async (t) => {
    const fleet = await fleetStage(way, 4);
    t.teardown(fleet.close);
    await fleet.launch();
    await fleet.settle();
    await fleet.release({ go: fleet.refs(), stay: [], incoming: 0 });
    t.deepEqual(fleet.live(), []);
    fleet.simulator.advance(minute);
    await fleet.dispose();
    fleet.simulator.advance(10 * minute);
    t.like(fleet.simulator.ledger(), { live: {}, fleets: [], spot_fleets: [], templates: [] });
    t.is(fleet.simulator.ledger().launches[fleet.order.token], 4);
  });
}
