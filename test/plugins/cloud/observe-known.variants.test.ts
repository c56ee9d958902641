import test from 'ava';
import { isFault } from '../../../core/index.ts';
import { fleetStage, ways } from './fleet-support.ts';
import { variants } from '../../support/variants.ts';

for (const way of variants(ways)) {
  test(`${way.name}: where only known machines are asked about, they alone are, by their ids`, async (t) => {
    t.timeout(300_000);
    const fleet = await fleetStage(way, 300);
    t.teardown(fleet.close);
    await fleet.launch();
    await fleet.settle();
    for (let i = 0; i < 5; i++) {
      fleet.simulator.advance(1_000);
      await fleet.observe();
    }
    const known = fleet.refs().slice(0, 3);
    const before = fleet.simulator.audit().length;
    const watched = { handle: fleet.handle, order: fleet.order, known, only_known: true };
    const whole = { handle: fleet.handle, order: fleet.order, known: fleet.refs() };
    const [seen] = await way.api.observe(fleet.session, [watched], fleet.call);
    if (!seen || isFault(seen)) throw seen;
    const ids = known.map(({ machine_id }) => machine_id).toSorted();
    t.deepEqual(seen.machines.map(({ machine_id }) => machine_id).toSorted(), ids);
    t.true(seen.machines.every(({ status }) => status === 'running'));
    const asked = fleet.simulator.audit().slice(before);
    const actions = asked.map(({ action }) => action);
    t.is(actions.filter((action) => action === 'DescribeInstances').length, 1);
    t.deepEqual(
      actions.filter((action) => action !== 'DescribeInstances' && action !== 'DescribeSpotInstanceRequests'),
      [],
      'nothing is asked about the fleet',
    );

    const both = await way.api.observe(fleet.session, [whole, watched], fleet.call);
    t.deepEqual(
      both.map((each) => (isFault(each) ? each.message : each.machines.length)),
      [300, 3],
      'each answer stands where it was asked for',
    );
  });
}
