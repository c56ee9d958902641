// oxlint-disable unicorn/no-thenable -- `then` is the name of the knob's field on the wire
import test from 'ava';
import { cloud } from '../../../plugins/cloud/index.ts';
import { contextOf } from './support.ts';
import { fleetStage, maintaining } from './fleet-support.ts';

const minute = 60_000;

for (const way of maintaining) {
  test(`${way.name}: a return is exact although the process dies after each of its calls`, async (t) => {
    const faults = [way.modify, 'TerminateInstances'].map(
      (action) => ({ action, effect: 'execute', then: 'drop' }) as const,
    );
    const fleet = await fleetStage(way, 5);
    t.teardown(fleet.close);
    await fleet.launch();
    await fleet.settle();
    fleet.simulator.setKnobs({ faults });
    const [first = '', second = '', ...stay] = fleet.live();
    const aim = { go: fleet.refs(first, second), stay: fleet.refs(...stay), incoming: 0 };
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
    t.false((await fleet.observe()).settled);
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
    await fleet.release({ go: [], stay: fleet.refs(...stay), incoming: 0 });
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
    const data = new Map(
      fleet.refs().map((machine) => [machine.machine_id, machine.data as { weight: number; market: string }]),
    );
    t.deepEqual(new Set([...data.values()].map(({ weight }) => weight)), new Set([2, 4]));
    const of = (market: string) => [...data].flatMap(([id, each]) => (each.market === market ? [id] : []));
    const go = [of('on-demand')[0] ?? '', of('spot')[0] ?? ''];
    const stay = fleet.live().filter((id) => !go.includes(id));
    await fleet.release({ go: fleet.refs(...go), stay: fleet.refs(...stay), incoming: 0 });
    fleet.simulator.setKnobs({ capacity: [] });
    fleet.simulator.advance(5 * minute);
    t.deepEqual(fleet.live(), stay);
    t.true((await fleet.observe()).settled);
  });

  test(`${way.name}: machines of one market go while those of the other are not known yet: none is started`, async (t) => {
    const template = {
      template_id: 't',
      machine_types: { 'm5.large': 1 },
      subnet_ids: ['subnet-1'],
      price_type: 'mixed',
      percent_on_demand: 50,
    };
    const fleet = await fleetStage(way, 8, template);
    t.teardown(fleet.close);
    await fleet.launch();
    await fleet.settle();
    const of = (market: string) =>
      fleet
        .refs()
        .flatMap(({ machine_id, data }) => ((data as { market: string }).market === market ? machine_id : []));
    const [gone, left] = [of('on-demand'), of('spot')];
    t.is(gone.length, 4);
    await fleet.release({ go: fleet.refs(...gone), stay: [], incoming: 4 });
    fleet.simulator.advance(5 * minute);
    t.deepEqual(fleet.live(), left.toSorted());
    t.is(fleet.simulator.ledger().launches[fleet.order.token], 8);
  });
}

test('an unknown fleet does not hide the other fleets of the same call', async (t) => {
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
