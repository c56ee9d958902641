import { setTimeout as wait } from 'node:timers/promises';
import { defaultDialect, hostfactoryDialect } from './support/dialect.ts';
import { scenario } from './support/scenario.ts';
import type { Stage } from './support/stage.ts';
import { until } from './support/until.ts';

const terminates = (stage: Stage) => stage.cloud.met(({ action }) => action === 'TerminateInstances');

scenario('killed as soon as a return was answered', {
  dialect: defaultDialect,
  async play(stage) {
    const request_id = await stage.request('run', 4);
    const { machines } = await stage.ended(request_id);
    const returned = machines.slice(0, 2).map(({ machine_id }) => machine_id);
    const return_id = await stage.giveBack(returned);
    await stage.kill();
    await stage.start();
    await stage.ended(return_id);
    return [{ request_id, machine_count: 4, returned }];
  },
});

scenario('killed after machines were terminated and before the answer', {
  dialect: hostfactoryDialect,
  knobs: { latency_ms: { TerminateInstances: 800 } },
  async play(stage) {
    const request_id = await stage.request('fleet', 4);
    const { machines } = await stage.ended(request_id);
    const returned = machines.slice(1).map(({ machine_id }) => machine_id);
    const return_id = await stage.giveBack(returned);
    await terminates(stage);
    await stage.kill();
    await stage.start();
    await stage.ended(return_id);
    return [{ request_id, machine_count: 4, returned }];
  },
});

scenario('killed between the end of a machine that was returned and the end of its return', {
  dialect: defaultDialect,
  knobs: { shutdown_ms: 1500 },
  async play(stage) {
    const request_id = await stage.request('fleet', 3);
    const { machines } = await stage.ended(request_id);
    const returned = machines.slice(0, 1).map(({ machine_id }) => machine_id);
    const return_id = await stage.giveBack(returned);
    await stage.cloud.met(({ action, answered }) => action === 'TerminateInstances' && answered);
    await wait(300);
    await stage.kill();
    await stage.start();
    await stage.ended(return_id);
    return [{ request_id, machine_count: 3, returned }];
  },
});

scenario('killed as soon as a cancel was answered, while the launch is under way', {
  dialect: defaultDialect,
  knobs: { latency_ms: { CreateFleet: 800 } },
  async play(stage) {
    const request_id = await stage.request('fleet', 4);
    await stage.cloud.met(({ action }) => action === 'CreateFleet');
    const { status } = await stage.call('DELETE', `/requests/${request_id}`);
    if (status !== 202) throw new Error(`The cancel was refused with ${status}.`);
    await stage.kill();
    await stage.start();
    return [{ request_id, machine_count: 4, cancelled: true }];
  },
});

scenario('killed while a cancel terminates what has come', {
  dialect: hostfactoryDialect,
  knobs: { boot_ms: 20_000, latency_ms: { TerminateInstances: 800 } },
  async play(stage) {
    const request_id = await stage.request('run', 4);
    await until('machines came', async () => (await stage.seen(request_id)).machines.length === 4);
    await stage.call('DELETE', `/requests/${request_id}`);
    await terminates(stage);
    await stage.kill();
    await stage.start();
    return [{ request_id, machine_count: 4, cancelled: true }];
  },
});
