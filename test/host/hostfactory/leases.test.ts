import test from 'ava';
import { ask, boot, ended, hostsOf, request, statusOf } from './in-process.ts';

test('the end of a lease is told by getReturnRequests, before and after, and the request stays complete', async (t) => {
  const broker = await boot(t, {
    templates: [
      { templateId: 'T', vmType: 't3.small', imageId: 'ami-1', subnetId: 'subnet-1', maxNumber: 9, ttl: 60 },
    ],
  });
  const request_id = await request(broker, 2, 'T');
  const hosts = hostsOf(await ended(broker, request_id));
  const asked = async () => (await ask(broker, 'getReturnRequests', { machines: hosts })).answer.requests;
  t.deepEqual(await asked(), []);
  const { store } = broker.broker;
  const machines = await store.find('machine', { where: { request_id } });
  t.deepEqual([...new Set(machines.map(({ lease_s }) => lease_s))], [3_600]);
  // As long as its holder has not looked, the record alone says what an interface sees.
  const [first] = machines;
  if (!first) return t.fail();
  await store.commit([
    { op: 'put', kind: 'machine', record: { ...first, expiry_told: true, expires_at: Date.now() + 300_000 } },
  ]);
  const [soon, ...others] = await asked();
  t.deepEqual(others, []);
  t.is(soon.machineId, first.machine_id);
  t.true(soon.gracePeriod > 290 && soon.gracePeriod <= 300);
  await store.commit([
    {
      op: 'put',
      kind: 'machine',
      record: { ...first, going: 'returned', expired_at: Date.now(), return_id: 'ret-1' },
    },
  ]);
  t.like((await asked())[0], { machineId: first.machine_id, gracePeriod: 0 });
  const { status, machines: shown } = await statusOf(broker, request_id);
  t.is(status, 'complete');
  t.deepEqual([...new Set(shown.map(({ result }: any) => result))], ['succeed']);
});

test('a held host is not returned, and the scheduler reads why', async (t) => {
  const broker = await boot(t);
  const hosts = hostsOf(await ended(broker, await request(broker, 2)));
  const held = { machine_ids: [hosts[0].machineId], seconds: 600, reason: 'Bob reads a core dump' };
  t.is((await broker.call('POST', '/machines/hold', held)).status, 200);
  const { code, answer } = await ask(broker, 'requestReturnMachines', { machines: hosts });
  t.is(code, 1);
  t.regex(answer.message, /is held until .*: Bob reads a core dump\./);
});
