// oxlint-disable unicorn/no-thenable -- `then` is the name of the knob's field on the wire
import test from 'ava';
import type { ProviderFault } from '../../../core/index.ts';
import { cloud } from '../../../plugins/cloud/index.ts';
import { contextOf } from './support.ts';
import { fleetStage, maintaining, twoTypes, ways } from './fleet-support.ts';

const minute = 60_000;

for (const way of ways) {
  test(`${way.name}: machines come after the call, tagged by a launch template of the order's own`, async (t) => {
    const fleet = await fleetStage(way, 4, { ...twoTypes, tags: { team: 'blue' } });
    t.teardown(fleet.close);
    await fleet.launch();
    t.is(fleet.order.prepared.template.owner, 'order');
    t.false((await fleet.look()).settled);
    t.deepEqual(fleet.live(), []);
    const { machines } = await fleet.settle();
    t.deepEqual(machines.map((machine) => machine.machine_id).toSorted(), fleet.live());
    t.is(fleet.live().length, 4);
    t.deepEqual(fleet.simulator.ledger().untagged, []);
    fleet.simulator.advance(5 * minute);
    t.true((await fleet.look()).settled);
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
    const early = await fleet.look();
    t.is(early.machines.length, 2);
    t.is(early.stuck, undefined, 'others may still come, and the history is late');
    fleet.simulator.advance(45_000);
    const seen = await fleet.look();
    t.true(seen.stuck);
    t.false(seen.settled);
    t.deepEqual(
      seen.shortfall?.map(({ offer, kind, code }) => [offer, kind, code]).toSorted(),
      ['c5.large|subnet-1|spot', 'm5.large|subnet-1|spot'].map((key) => [key, 'capacity', 'InsufficientInstanceCapacity']),
    );
    await fleet.release({ go: [], stay: fleet.refs(), to_come: 0 });
    t.true((await fleet.look()).settled);
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
    t.is((await fleet.look()).machines.length, 2);
    fleet.simulator.advance(45_000);
    const seen = await fleet.look();
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
    await fleet.release({ go: fleet.refs(first, second), stay: fleet.refs(...stay), to_come: 0 });
    fleet.simulator.advance(minute);
    t.deepEqual(fleet.live(), stay);
    t.true((await fleet.look()).settled);
    // What was said is said again by a successor.
    await fleet.release({ go: fleet.refs(first, second), stay: fleet.refs(...stay), to_come: 0 });
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
    await fleet.look();
    const [gone = '', ...stay] = fleet.live();
    t.is(stay.length, 2);
    const aim = { go: fleet.refs(gone), stay: fleet.refs(...stay), to_come: 2 };
    await fleet.release(aim);
    fleet.simulator.setKnobs({ capacity: [] });
    fleet.simulator.advance(5 * minute);
    await fleet.settle();
    const live = fleet.live();
    t.false(live.includes(gone));
    t.true(stay.every((id) => live.includes(id)));
    t.is(live.length, way.fleet_type === 'maintain' ? 4 : 2, 'a fleet of type request is stopped, and the rest is ordered anew');
  });

  test(`${way.name}: when all go, fleet and launch template go with them`, async (t) => {
    const fleet = await fleetStage(way, 4);
    t.teardown(fleet.close);
    await fleet.launch();
    await fleet.settle();
    await fleet.release({ go: fleet.refs(), stay: [], to_come: 0 });
    t.deepEqual(fleet.live(), []);
    fleet.simulator.advance(minute);
    await fleet.dispose();
    fleet.simulator.advance(10 * minute);
    t.like(fleet.simulator.ledger(), { live: {}, fleets: [], spot_fleets: [], templates: [] });
    t.is(fleet.simulator.ledger().launches[fleet.order.token], 4);
  });

  test(`${way.name}: one that is cancelled before its first machine never has one`, async (t) => {
    const fleet = await fleetStage(way, 4);
    t.teardown(fleet.close);
    await fleet.launch();
    await fleet.release({ go: [], stay: [], to_come: 0 });
    await fleet.dispose();
    fleet.simulator.advance(10 * minute);
    t.like(fleet.simulator.ledger(), { live: {}, launches: {}, fleets: [], spot_fleets: [], templates: [] });
  });

  test(`${way.name}: what it had ordered when it was stopped is found, and goes`, async (t) => {
    const fleet = await fleetStage(way, 4, twoTypes, { fleets: { start_ms: 500, launch_ms: 20_000 } });
    t.teardown(fleet.close);
    await fleet.launch();
    fleet.simulator.advance(1_000);
    const aim = { go: [], stay: [], to_come: 0 };
    const progress = await way.api.release(fleet.session, fleet.handle, aim, fleet.call);
    t.false(progress.done);
    fleet.simulator.advance(21_000);
    t.is(fleet.live().length, 4, 'the cloud keeps what it has begun');
    t.false((await way.api.release(fleet.session, fleet.handle, aim, fleet.call)).done);
    t.false((await fleet.look()).settled);
    await fleet.release({ ...aim, go: fleet.refs() });
    fleet.simulator.advance(minute);
    t.deepEqual(fleet.live(), []);
    t.true((await fleet.look()).settled);
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
    const fleet = await fleetStage(way, 3, twoTypes, { faults: [{ action: way.make, effect: 'execute', then: 'drop' }] });
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
      await fleet.release({ go: fleet.refs(first, second), stay: fleet.refs(...stay), to_come: 0 });
      fleet.simulator.advance(2 * minute);
      t.deepEqual(fleet.live(), stay);
      await fleet.look();
      await fleet.release({ go: fleet.refs(...stay), stay: [], to_come: 0 });
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
    const older = { go: fleet.refs(...stay), stay: fleet.refs(first), to_come: 3 };
    const aim = { go: fleet.refs(first), stay: fleet.refs(...stay), to_come: 0 };
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
    const seen = await fleet.look();
    t.is(seen.machines.length, 2);
    t.false(seen.settled);
    t.false((await way.api.release(fleet.session, fleet.handle, { go: [], stay: [], to_come: 0 }, fleet.call)).done);
    await fleet.settle();
    t.is(fleet.live().length, 2);
  });
}

for (const way of maintaining) {
  test(`${way.name}: a return is exact although the process dies after each of its calls`, async (t) => {
    const faults = [way.modify, 'TerminateInstances'].map((action) => ({ action, effect: 'execute', then: 'drop' }) as const);
    const fleet = await fleetStage(way, 5);
    t.teardown(fleet.close);
    await fleet.launch();
    await fleet.settle();
    fleet.simulator.setKnobs({ faults });
    const [first = '', second = '', ...stay] = fleet.live();
    const aim = { go: fleet.refs(first, second), stay: fleet.refs(...stay), to_come: 0 };
    for (let done = false, i = 0; !done && i < 30; i++) {
      const config = {
        endpoint_url: fleet.simulator.url,
        access_key_id: 'AKIATEST000000000000',
        secret_access_key: 'a-secret-that-nobody-sees',
      };
      const reborn = await cloud.connect(config, contextOf());
      const progress = await way.api.release(reborn, fleet.handle, aim, fleet.call).catch(() => ({ done: false }));
      done = progress.done;
      await cloud.close?.(reborn);
      fleet.simulator.advance(700);
    }
    fleet.simulator.advance(2 * minute);
    t.deepEqual(fleet.live(), stay);
    t.is(fleet.simulator.ledger().launches[fleet.order.token], 5);
  });

  test(`${way.name}: what is lost is replaced, and followed`, async (t) => {
    const fleet = await fleetStage(way, 3);
    t.teardown(fleet.close);
    await fleet.launch();
    await fleet.settle();
    const [lost = ''] = fleet.live();
    fleet.simulator.setKnobs({ reclaim: [{ instance_ids: [lost], notice_s: 0 }] });
    fleet.simulator.advance(1_500);
    t.false((await fleet.look()).settled);
    const { machines } = await fleet.settle();
    t.is(machines.filter(({ status }) => status === 'pending' || status === 'running').length, 3);
    t.is(fleet.live().length, 3);
    t.false(fleet.live().includes(lost));
  });

  test(`${way.name}: a lost machine is not replaced once the fleet was told who stays`, async (t) => {
    const fleet = await fleetStage(way, 3);
    t.teardown(fleet.close);
    await fleet.launch();
    await fleet.settle();
    const [lost = '', ...stay] = fleet.live();
    fleet.simulator.setKnobs({ reclaim: [{ instance_ids: [lost], notice_s: 0 }] });
    fleet.simulator.advance(100);
    await fleet.release({ go: [], stay: fleet.refs(...stay), to_come: 0 });
    fleet.simulator.advance(2 * minute);
    t.deepEqual(fleet.live(), stay);
  });

  test(`${way.name}: with weights and a share on demand the target is that of the machines that stay`, async (t) => {
    const template = {
      template_id: 't',
      machine_types: { 'm5.xlarge': 2, 'm5.2xlarge': 4 },
      subnet_ids: ['subnet-1'],
      price_type: 'mixed',
      percent_on_demand: 50,
    };
    const fleet = await fleetStage(way, 6, template, { capacity: [{ instance_type: 'm5.xlarge', count: 1 }] });
    t.teardown(fleet.close);
    await fleet.launch();
    await fleet.settle();
    const data = new Map(fleet.refs().map((machine) => [machine.machine_id, machine.data as { weight: number; market: string }]));
    t.deepEqual(new Set([...data.values()].map(({ weight }) => weight)), new Set([2, 4]));
    const of = (market: string) => [...data].flatMap(([id, each]) => (each.market === market ? [id] : []));
    const go = [of('on-demand')[0] ?? '', of('spot')[0] ?? ''];
    const stay = fleet.live().filter((id) => !go.includes(id));
    await fleet.release({ go: fleet.refs(...go), stay: fleet.refs(...stay), to_come: 0 });
    fleet.simulator.setKnobs({ capacity: [] });
    fleet.simulator.advance(5 * minute);
    t.deepEqual(fleet.live(), stay);
    t.true((await fleet.look()).settled);
  });
}

test('one unknown fleet does not hide the others that are asked for with it', async (t) => {
  for (const way of maintaining) {
    const fleet = await fleetStage(way, 2);
    await fleet.launch();
    await fleet.settle();
    const { fleet_id } = fleet.handle as { fleet_id: string };
    const unknown = { ...fleet.handle, fleet_id: `${fleet_id.slice(0, -4)}0000` };
    const watched = [unknown, fleet.handle].map((handle) => ({ handle, order: fleet.order, known: [] }));
    const answers = await way.api.observe(fleet.session, watched, fleet.call);
    t.deepEqual(
      answers.map((answer) => 'settled' in answer && answer.settled),
      [false, true],
    );
    await fleet.close();
  }
});
