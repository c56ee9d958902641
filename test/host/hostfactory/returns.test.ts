import test from 'ava';
import { ask, boot, ended, hostsOf, request, statusOf } from './in-process.ts';

test('a return accepts hosts by id or name, prefers the id, and ignores unknown hosts', async (t) => {
  const broker = await boot(t);
  const hosts = hostsOf(await ended(broker, await request(broker, 3)));
  const { code, answer } = await ask(broker, 'requestReturnMachines', {
    machines: [
      { name: hosts[0].name },
      { machineId: hosts[1].machineId, name: hosts[2].name },
      { name: 'ip-1-2-3-4.ec2.internal', machineId: 'i-0000' },
      { name: 'ip-9-9-9-9.ec2.internal' },
    ],
  });
  t.is(code, 0);
  const back = await ended(broker, answer.requestId);
  t.is(back.status, 'complete');
  t.deepEqual(
    back.machines.map(({ machineId, result }: any) => [machineId, result]),
    [
      [hosts[0].machineId, 'succeed'],
      [hosts[1].machineId, 'succeed'],
    ],
  );
  t.is(Object.values(broker.simulator.ledger().live).flat().length, 1);
});

test('an entry without a host does not stop the return or the report of the others', async (t) => {
  const broker = await boot(t);
  const hosts = hostsOf(await ended(broker, await request(broker, 2)));
  broker.simulator.setKnobs({ reclaim: [{ instance_ids: [hosts[0].machineId], notice_s: 120 }] });
  const odd = [{ name: null, machineId: null }, {}, 7, ...hosts];
  t.is((await ask(broker, 'getReturnRequests', { machines: odd })).code, 0);
  const { code, answer } = await ask(broker, 'requestReturnMachines', { machines: odd });
  t.is(code, 0);
  t.is((await ended(broker, answer.requestId)).machines.length, 2);
});

test('a return of nothing that is left has an id, and is complete', async (t) => {
  const broker = await boot(t);
  const unknown = await ask(broker, 'requestReturnMachines', { machines: [{ name: 'ip-9', machineId: 'i-9' }] });
  t.deepEqual([unknown.code, unknown.answer.message], [0, 'No Active VM.']);
  t.like(await statusOf(broker, unknown.answer.requestId), { status: 'complete', machines: [] });
  const hosts = hostsOf(await ended(broker, await request(broker, 1)));
  const first = await ask(broker, 'requestReturnMachines', { machines: hosts });
  await ended(broker, first.answer.requestId);
  const again = await ask(broker, 'requestReturnMachines', { machines: hosts });
  t.is(again.answer.message, 'No Active VM.');
  t.not(again.answer.requestId, first.answer.requestId);
  t.is((await statusOf(broker, again.answer.requestId)).status, 'complete');
});

test('the scheduler’s own returns are no reclaims, and an empty list of hosts is nothing', async (t) => {
  const broker = await boot(t, { knobs: { shutdown_ms: 60_000 } });
  const hosts = hostsOf(await ended(broker, await request(broker, 2)));
  await ask(broker, 'requestReturnMachines', { machines: [hosts[0]] });
  const live = () => Object.values(broker.simulator.ledger().live).flat().length;
  await broker.until(async () => live() === 1);
  for (const machines of [hosts, [], {}]) {
    const { code, answer } = await ask(broker, 'getReturnRequests', { machines });
    t.deepEqual([code, answer.status, answer.requests], [0, 'complete', []]);
  }
  t.is(live(), 1, 'nobody ends a host because it is not in a list');
});

test('a host that was stopped by hand is reported among those that the cloud took', async (t) => {
  const broker = await boot(t);
  const requestId = await request(broker, 1);
  const { machines } = await ended(broker, requestId);
  const { machineId, name } = machines[0];
  const { store } = broker.broker;
  const record = await store.get('machine', { provider_instance: 'east', machine_id: machineId });
  // What the loop writes when a person stops a machine.
  await store.commit([
    { op: 'put', kind: 'machine', record: { ...record!, status: 'stopped', lost: true, going: 'failed' } },
  ]);
  const { answer } = await ask(broker, 'getReturnRequests', { machines: [{ name, machineId }] });
  t.deepEqual(answer.requests, [{ machine: name, machineId, gracePeriod: 0 }]);
});

test('unknown hosts are looked up at the cloud: the next call reports those that are gone, not those that live', async (t) => {
  const broker = await boot(t);
  const hosts = hostsOf(await ended(broker, await request(broker, 2)));
  const { store } = broker.broker;
  // The store of another broker: its machines live on, and nobody here knows them.
  for (const { machineId } of hosts)
    await store.commit([{ op: 'delete', kind: 'machine', key: { provider_instance: 'east', machine_id: machineId } }]);
  const [alive, aliveByName] = hosts;
  const gone = { name: 'ip-10-9-9-9.ec2.internal', machineId: 'i-0123456789abcdef0' };
  const goneByName = { name: 'ip-10-8-8-8.ec2.internal' };
  const machines = [alive, { name: aliveByName.name }, gone, goneByName];
  const first = await ask(broker, 'getReturnRequests', { machines });
  t.deepEqual([first.code, first.answer.requests], [0, []], 'nobody waits for the cloud');
  const requests = await broker.until(async () => {
    const { answer } = await ask(broker, 'getReturnRequests', { machines });
    return answer.requests.length > 0 && answer.requests;
  });
  t.deepEqual(requests, [
    { machine: gone.name, machineId: gone.machineId, gracePeriod: 0 },
    { machine: goneByName.name, machineId: '', gracePeriod: 0 },
  ]);
});
