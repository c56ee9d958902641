import test from 'ava';
import { operate } from './support.ts';

test('machines are listed, counted and shown by themselves', async (t) => {
  const broker = await operate();
  t.teardown(broker.close);
  const { request_id, ids } = await broker.machines(3);
  const { machines, count, total_count } = await broker.run('list_machines', { limit: 2 });
  t.deepEqual([machines.length, count, total_count], [2, 2, 3]);
  t.like(machines[0], {
    status: 'running',
    request_id,
    template_id: 'small',
    provider_instance: 'east',
    gone_at: null,
  });
  const { machine } = await broker.run('get_machine', { machine_id: ids[0] });
  t.is(machine.machine_id, ids[0]);
  t.regex(machine.private_ip, /^10\./);
  t.like(await broker.run('get_active_machine_count'), { active_count: 3, by_status: { running: 3, terminated: 0 } });
  t.like(await broker.run('get_machine_health', { machine_id: ids[0] }), {
    healthy: true,
    status: 'running',
    provider_healthy: true,
  });
  t.like(await broker.run('get_request_summary', { request_id }), {
    requested_count: 3,
    delivered_count: 3,
    machines: { running: 3 },
  });

  await broker.run('create_return_request', { machine_ids: [ids[0]] });
  await broker.until(async () => (await broker.run('list_machines')).total_count === 2);
  t.is((await broker.run('get_active_machine_count')).active_count, 2);
  t.is((await broker.run('list_machines', { all_resources: true })).total_count, 3);
  t.is((await broker.run('list_machines', { status: 'terminated' })).machines[0].machine_id, ids[0]);
  t.like(await broker.run('get_machine_health', { machine_id: ids[0] }), { healthy: false });
});

test('an unknown machine is refused by its id', async (t) => {
  const broker = await operate({ loop: 'none' });
  t.teardown(broker.close);
  for (const name of ['get_machine', 'get_machine_health'])
    await t.throwsAsync(broker.run(name, { machine_id: 'i-0' }), { message: "No machine has the id 'i-0'." });
});

test('reclaimed machines are reported by id and by name, returned machines are not', async (t) => {
  const broker = await operate({
    templates: [
      {
        template_id: 'spot',
        provider_api: 'RunInstances',
        image_id: 'ami-1',
        machine_type: 't3.small',
        price_type: 'spot',
      },
    ],
  });
  t.teardown(broker.close);
  const { ids } = await broker.machines(4, 'spot');
  const { machines } = await broker.run('list_machines');
  const nameOf = (id: string | undefined) =>
    machines.find((each: { machine_id: string }) => each.machine_id === id).name;
  await broker.run('create_return_request', { machine_ids: [ids[0]] });
  broker.simulator.setKnobs({ reclaim: [{ instance_ids: [ids[1] ?? ''], notice_s: 0 }] });
  const asked = { machine_ids: ids.slice(0, 2), names: [nameOf(ids[1]), nameOf(ids[2])] };
  const { body } = await broker.until(async () => {
    const answer = await broker.call('POST', '/machines/reclaimed', asked);
    return answer.body.machines.length > 0 && answer;
  });
  t.is(body.machines.length, 1, 'the same machine by id and by name is one');
  t.like(body.machines[0], { machine_id: ids[1], name: nameOf(ids[1]), grace_period_s: 0 });
  t.deepEqual((await broker.call('POST', '/machines/reclaimed', {})).body, { machines: [] });
});
