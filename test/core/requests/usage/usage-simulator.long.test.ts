import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { makePlace, startBroker, until } from '../../../support/boot-broker.ts';

const lifeMs = 5_000;

test('use is that of the simulated cloud to the second, with brokers that are killed', async (t) => {
  const day = new Date().toISOString().slice(0, 10);
  const place = await makePlace({ knobs: { boot_ms: 300, shutdown_ms: 300 } });
  t.teardown(() => place.close());
  const start = () => startBroker({ place });
  let broker = await start();
  const call = async (method: string, path: string, body?: unknown): Promise<any> => {
    const answer = await fetch(`${broker.url}/api/v1${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    return answer.json();
  };
  let made = 0;
  for (let round = 0; round < 6; round += 1) {
    const { request_id } = await call('POST', '/machines/request', { template_id: 'small', machine_count: 10 });
    made += 10;
    // The broker dies in turn while machines end and while they start.
    if (round % 2 === 1) {
      await broker.kill('SIGKILL');
      broker = await start();
    }
    const machines = await until(async () => {
      const { status, machines: all } = await call('GET', `/requests/${request_id}`);
      return status === 'completed' && all;
    });
    await sleep(lifeMs);
    const { request_id: return_id } = await call('POST', '/machines/return', {
      machine_ids: machines.map(({ machine_id }: any) => machine_id),
    });
    if (round % 2 === 0) {
      await broker.kill('SIGKILL');
      broker = await start();
    }
    await until(async () => (await call('GET', `/requests/${return_id}`)).status === 'completed');
  }
  const { rows } = await call('GET', `/usage?from=${day}`);
  const used = rows.reduce((sum: number, row: any) => sum + row.machine_seconds, 0);
  const { machine_seconds } = place.simulator.ledger();
  t.log(`${used} s of ${made} machines; the simulated cloud counts ${machine_seconds} s`);
  t.true(machine_seconds > (made * lifeMs) / 1000);
  t.is(used, machine_seconds);
  await broker.stop();
});
