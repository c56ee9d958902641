// oxlint-disable unicorn/no-thenable -- `then` is the name of the knob's field on the wire
import test from 'ava';
import type { ProviderFault } from '../../../core/index.ts';
import { fleetStage, twoTypes, ways } from './fleet-support.ts';

const minute = 60_000;

for (const way of ways) {
  test(`${way.name}: one that is cancelled before its first machine never has one`, async (t) => {
    const fleet = await fleetStage(way, 4);
    t.teardown(fleet.close);
    await fleet.launch();
    await fleet.release({ go: [], stay: [], incoming: 0 });
    await fleet.dispose();
    fleet.simulator.advance(10 * minute);
    t.like(fleet.simulator.ledger(), { live: {}, launches: {}, fleets: [], spot_fleets: [], templates: [] });
  });

  test(`${way.name}: what it had ordered when it was stopped is found, and goes`, async (t) => {
    const fleet = await fleetStage(way, 4, twoTypes, { fleets: { start_ms: 500, launch_ms: 20_000 } });
    t.teardown(fleet.close);
    await fleet.launch();
    fleet.simulator.advance(1_000);
    const aim = { go: [], stay: [], incoming: 0 };
    const progress = await way.api.release(fleet.session, fleet.handle, aim, fleet.call);
    t.false(progress.done);
    fleet.simulator.advance(21_000);
    t.is(fleet.live().length, 4, 'the cloud keeps what it has begun');
    t.false((await way.api.release(fleet.session, fleet.handle, aim, fleet.call)).done);
    t.false((await fleet.observe()).settled);
    await fleet.release({ ...aim, go: fleet.refs() });
    fleet.simulator.advance(minute);
    t.deepEqual(fleet.live(), []);
    t.true((await fleet.observe()).settled);
  });

  test(`${way.name}: machines that nobody ever saw are ended with what is left of their order`, async (t) => {
    const fleet = await fleetStage(way, 3, twoTypes, { fleets: { start_ms: 500, launch_ms: 20_000 } });
    t.teardown(fleet.close);
    await fleet.launch();
    fleet.simulator.advance(1_000);
    await fleet.dispose();
    fleet.simulator.advance(10 * minute);
    t.like(fleet.simulator.ledger(), { live: {}, fleets: [], spot_fleets: [], templates: [] });
    t.is(fleet.simulator.ledger().launches[fleet.order.token], 3);
  });

  for (const then of ['drop', 'cut', 'html'] as const) {
    test(`${way.name}: after an answer lost by '${then}' there is one fleet, and it is found`, async (t) => {
      const fleet = await fleetStage(way, 3, twoTypes, { faults: [{ action: way.make, effect: 'execute', then }] });
      t.teardown(fleet.close);
      const fault = await t.throwsAsync<ProviderFault>(fleet.launch());
      t.is(fault?.kind, 'unknown-outcome');
      const found = await way.api.find?.(fleet.session, fleet.order, fleet.call);
      await fleet.launch();
      t.deepEqual(found, fleet.handle);
      await fleet.settle();
      fleet.simulator.advance(minute);
      const { fleets, spot_fleets } = fleet.simulator.ledger();
      t.is(fleets.length + spot_fleets.length, 1);
      t.is(fleet.live().length, 3);
    });
  }

  test(`${way.name}: a fleet whose answer never came goes with its order`, async (t) => {
    const fleet = await fleetStage(way, 3, twoTypes, {
      faults: [{ action: way.make, effect: 'execute', then: 'drop' }],
    });
    t.teardown(fleet.close);
    await t.throwsAsync(fleet.launch());
    fleet.simulator.advance(3_000);
    for (let i = 0; i < 60; i++) {
      const progress = await way.api.dispose?.(fleet.session, { order: fleet.order }, fleet.call);
      if (progress?.done) break;
      fleet.simulator.advance(progress?.again_ms ?? 2_000);
    }
    fleet.simulator.advance(5 * minute);
    t.like(fleet.simulator.ledger(), { live: {}, fleets: [], spot_fleets: [], templates: [] });
  });

  const troubles = [
    { effect: 'execute', then: 'drop' },
    { effect: 'skip', then: 'drop' },
    { effect: 'skip', then: 'error', code: 'RequestLimitExceeded' },
    { effect: 'execute', then: 'error', code: 'InternalError' },
  ] as const;
  for (const trouble of troubles) {
    const said = `${trouble.effect} and ${trouble.then === 'error' ? trouble.code : trouble.then}`;
    test(`${way.name}: a return is exact although every second changing call meets ${said}`, async (t) => {
      const fleet = await fleetStage(way, 6);
      t.teardown(fleet.close);
      await fleet.launch();
      await fleet.settle();
      const faults = [way.modify, way.stop, 'TerminateInstances'].flatMap((action) =>
        [1, 3, 5].map((nth) => ({ action, nth, ...trouble })),
      );
      fleet.simulator.setKnobs({ faults });
      const [first = '', second = '', ...stay] = fleet.live();
      await fleet.release({ go: fleet.refs(first, second), stay: fleet.refs(...stay), incoming: 0 });
      fleet.simulator.advance(2 * minute);
      t.deepEqual(fleet.live(), stay);
      await fleet.observe();
      await fleet.release({ go: fleet.refs(...stay), stay: [], incoming: 0 });
      fleet.simulator.advance(2 * minute);
      t.deepEqual(fleet.live(), []);
      t.is(fleet.simulator.ledger().launches[fleet.order.token], 6, 'none was replaced meanwhile');
    });
  }

  test(`${way.name}: a holder that lost its claim changes nothing, at whatever step it wakes`, async (t) => {
    const fleet = await fleetStage(way, 4);
    t.teardown(fleet.close);
    await fleet.launch();
    await fleet.settle();
    const frozen = {
      ...fleet.call,
      fence: () => {
        throw new Error('claim lost');
      },
    };
    const [first = '', ...stay] = fleet.live();
    const older = { go: fleet.refs(...stay), stay: fleet.refs(first), incoming: 3 };
    const aim = { go: fleet.refs(first), stay: fleet.refs(...stay), incoming: 0 };
    let changes = 0;
    for (let i = 0; i < 60; i++) {
      const before = fleet.calls(way.modify) + fleet.calls(way.stop) + fleet.calls('TerminateInstances');
      await way.api.release(fleet.session, fleet.handle, older, frozen).catch(() => undefined);
      changes += fleet.calls(way.modify) + fleet.calls(way.stop) + fleet.calls('TerminateInstances') - before;
      const { done, again_ms } = await way.api.release(fleet.session, fleet.handle, aim, fleet.call);
      fleet.simulator.advance(again_ms ?? 500);
      if (done) break;
    }
    fleet.simulator.advance(2 * minute);
    t.is(changes, 0);
    t.deepEqual(fleet.live(), stay);
  });

  test(`${way.name}: a fleet that the cloud does not show yet is waited for`, async (t) => {
    const fleet = await fleetStage(way, 2, twoTypes, { visible_ms: { fleet: 8_000 } });
    t.teardown(fleet.close);
    await fleet.launch();
    fleet.simulator.advance(4_000);
    const seen = await fleet.observe();
    t.is(seen.machines.length, 2);
    t.false(seen.settled);
    t.false((await way.api.release(fleet.session, fleet.handle, { go: [], stay: [], incoming: 0 }, fleet.call)).done);
    await fleet.settle();
    t.is(fleet.live().length, 2);
  });
}
