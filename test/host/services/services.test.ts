import { join } from 'node:path';
import test from 'ava';
import { BrokerError, silentLog } from '../../../core/index.ts';
import { systemClock } from '../../../core/contract/clock.ts';
import { serviceRecords } from '../../../host/services/service-records.ts';
import { MemoryStore } from '../../../plugins/storage-memory/index.ts';
import { testService } from '../../../plugin-testkit/index.ts';
import slurm from '../../../plugins/slurm/index.ts';
import counter from './counter/index.ts';
import { loadConfiguration } from '../../../config/load.ts';
import { bootBroker, makePlace } from '../../support/boot-broker.ts';

const plugins = [
  'cloud',
  'cloud-runinstances',
  'cloud-ec2fleet',
  'default-format',
  'storage-sqlite',
  join(import.meta.dirname, 'counter/index.ts'),
];

test('a configured service has its routes, its records and the operations of the broker', async (t) => {
  const booted = await bootBroker({ configuration: { plugins, counter: { step: 2 } } });
  t.teardown(booted.close);
  const { call } = booted;
  t.deepEqual((await call('POST', '/counter/add', { counter: 'a' })).body, { value: 2 });
  t.deepEqual((await call('POST', '/operations/counter_add', { counter: 'a' })).body, { value: 4 });
  t.is((await call('POST', '/counter/add', {})).status, 400);
  const { body } = await call('POST', '/operations/counter_templates', {});
  t.deepEqual(body.ids.toSorted(), ['bounded', 'fleet', 'small']);
  const document = await booted.app.inject({ url: '/openapi.json' });
  t.truthy(document.json().paths['/api/v1/counter/add']);
  const tools = await booted.app.inject({
    method: 'POST',
    url: '/mcp',
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  });
  t.regex(tools.body, /counter_add/);
});

test('without its section a service sleeps, and a wrong section is a finding with its place', async (t) => {
  const booted = await bootBroker({ configuration: { plugins } });
  t.teardown(booted.close);
  t.is((await booted.call('POST', '/counter/add', { counter: 'a' })).status, 404);
  const place = await makePlace({ configuration: { plugins, counter: { step: 0 } } });
  t.teardown(place.close);
  const error = await t.throwsAsync(loadConfiguration({ cwd: place.directory, env: {} }), { instanceOf: BrokerError });
  t.regex(error.message, /counter\/step/);
});

test('a job runs under a lease of the storage, and stops with the broker', async (t) => {
  const booted = await bootBroker({ configuration: { plugins, counter: {} } });
  booted.broker.startJobs();
  const ticks = async () =>
    Number(
      (await booted.broker.store.find('fact', { where: { topic: 'service:counter', name: 'ticks' } }))[0]?.value ?? 0,
    );
  await booted.until(async () => (await ticks()) >= 3);
  await booted.close();
  t.pass();
});

test('of two writers of one version one is refused, and nothing of its commit is stored', async (t) => {
  const store = new MemoryStore({ clock: systemClock, log: silentLog });
  const records = serviceRecords('x', store, systemClock);
  await records.commit([{ key: 'a', version: 0, value: 1 }]);
  await records.commit([{ key: 'a', version: 1, value: 2 }]);
  const late = await t.throwsAsync(
    records.commit([
      { key: 'b', version: 0, value: 1 },
      { key: 'a', version: 1, value: 3 },
    ]),
    { instanceOf: BrokerError },
  );
  t.is(late.code, 'CONFLICT');
  t.deepEqual(await records.list(), [{ key: 'a', version: 2, value: 2 }]);
  t.deepEqual(await serviceRecords('y', store, systemClock).list(), []);
  await records.remove({ key: 'a', version: 1 });
  t.is((await records.list()).length, 1);
  await records.remove({ key: 'a', version: 2 });
  t.deepEqual(await records.list(), []);
  await t.throwsAsync(records.commit(Array.from({ length: 91 }, (_, n) => ({ key: `k${n}`, version: 0, value: 1 }))));
});

testService({
  test,
  plugin: () => slurm,
  settings: [{ node_sets: [{ nodes: 'cpu-[1-10]', template: 'small' }] }],
});
testService({ test, plugin: () => counter, settings: [{}, { step: 3 }] });
