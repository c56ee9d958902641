import test from 'ava';
import { fleetStage, twoTypes, ways, type FleetStage, type Way } from './fleet-support.ts';

const minute = 60_000;
/** EC2 may show new machines much later than it counts them for their fleet. */
const knobs = { visible_ms: { tag: 20_000, filter: 20_000 } };

/** Observes and releases all machines but those that stay, as the core does, until the release is done. */
async function releaseSeen(fleet: FleetStage, { api }: Way, stay: readonly string[]): Promise<void> {
  for (let i = 0; i < 100; i++) {
    await fleet.observe();
    const all = fleet.refs();
    const aim = {
      go: all.filter(({ machine_id }) => !stay.includes(machine_id)),
      stay: all.filter(({ machine_id }) => stay.includes(machine_id)),
      incoming: 0,
    };
    const { done, again_ms } = await api.release(fleet.session, fleet.handle, aim, fleet.call);
    if (done) return;
    fleet.simulator.advance(again_ms ?? 2_000);
  }
  throw new Error('The release is never done.');
}

for (const way of ways) {
  test(`${way.name}: the release of all is not done while a machine lives that was not seen yet`, async (t) => {
    const fleet = await fleetStage(way, 4, twoTypes, knobs);
    t.teardown(fleet.close);
    await fleet.launch();
    fleet.simulator.advance(4_000);
    await fleet.observe();
    t.is(fleet.live().length, 4);
    t.deepEqual(fleet.refs(), []);
    await releaseSeen(fleet, way, []);
    t.deepEqual(fleet.live(), []);
    fleet.simulator.advance(10 * minute);
    await fleet.dispose();
    t.like(fleet.simulator.ledger(), { live: {}, fleets: [], spot_fleets: [], templates: [] });
  });

  test(`${way.name}: the bound of a fleet is not done while it has more machines that were not seen yet`, async (t) => {
    const fleet = await fleetStage(way, 4, twoTypes, knobs);
    t.teardown(fleet.close);
    fleet.simulator.setKnobs({
      capacity: [
        { instance_type: 'm5.large', count: 1 },
        { instance_type: 'c5.large', count: 0 },
      ],
    });
    await fleet.launch();
    fleet.simulator.advance(30_000);
    await fleet.observe();
    const [stays = ''] = fleet.live();
    t.deepEqual(
      fleet.refs().map(({ machine_id }) => machine_id),
      [stays],
    );
    fleet.simulator.setKnobs({ capacity: [] });
    for (let i = 0; i < 300 && fleet.live().length < 4; i++) fleet.simulator.advance(1_000);
    t.is(fleet.live().length, 4);
    await releaseSeen(fleet, way, [stays]);
    t.deepEqual(fleet.live(), [stays]);
    fleet.simulator.advance(10 * minute);
    t.deepEqual(fleet.live(), [stays]);
  });
}
