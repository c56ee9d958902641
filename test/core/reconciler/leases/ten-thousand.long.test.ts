import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { bootBroker, makePlace, type Place } from '../../../support/boot-broker.ts';

const machines = 10_000;
const lease = 120;
const body = { template_id: 'small', lease };
const patience_ms = 240_000;

/** A cloud and a configuration that allows so large requests. */
async function place(): Promise<Place> {
  const made = await makePlace({ knobs: { boot_ms: 500, shutdown_ms: 500 } });
  const file = join(made.directory, 'muster.config.json');
  const configuration = JSON.parse(readFileSync(file, 'utf8'));
  Object.assign(configuration.providers[0], { limits: { max_instances_per_request: machines }, sweep: 'off' });
  writeFileSync(file, JSON.stringify(configuration));
  return made;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + patience_ms; !(await isSo()); ) {
    if (Date.now() > end) throw new Error(`It did not come within ${patience_ms / 1000} s.`);
    await new Promise((resolve) => void setTimeout(resolve, 250));
  }
}

for (const [requests, most] of [
  [10, 150],
  [100, 250],
] as const)
  test(`ten thousand leases of ${requests} requests that end in one minute are ended in it, in grouped calls`, async (t) => {
    const on = await place();
    const { broker, simulator, call, close } = await bootBroker({ place: on, settings: { observe_moving_ms: 2_000 } });
    t.teardown(() => close().then(() => on.close()));
    const started = Date.now();
    for (let i = 0; i < requests; i += 1)
      t.is((await call('POST', '/machines/request', { ...body, machine_count: machines / requests })).status, 200);
    const count = (where: object) => broker.store.count('machine', where);
    await until(async () => (await count({ status: 'running' })) === machines);
    const ready = await broker.store.find('machine', {});
    const ends = ready.map(({ expires_at = 0 }) => expires_at);
    const [first, last] = [Math.min(...ends), Math.max(...ends)];
    await new Promise((resolve) => void setTimeout(resolve, Math.max(0, last - Date.now())));
    await until(async () => (await count({ gone_at: null })) === 0);
    const gone = await broker.store.find('machine', {});
    const late = gone.map(({ expires_at = 0, released_at = 0 }) => released_at - expires_at);
    const ledger = simulator.audit(0).filter(({ action }) => action === 'TerminateInstances');
    const returns = await broker.store.count('request', { kind: 'return' });
    t.log(
      `ready after ${((last - lease * 1000 - started) / 1000).toFixed(1)} s; ended within ${((last - first) / 1000).toFixed(1)} s; ` +
        `released ${Math.min(...late)} to ${Math.max(...late)} ms after the end of the lease, ` +
        `with ${ledger.length} calls and ${returns} returns`,
    );
    t.true(Math.min(...late) >= 0, 'none is early');
    t.true(Math.max(...late) < 60_000);
    t.true(ledger.length <= most, `${ledger.length} calls`);
  });
