import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { bootBroker, makePlace, type BootedBroker, type BootOptions } from '../support/boot-broker.ts';
import { fastClock } from '../support/fast-clock.ts';

const refused = {
  faults: [{ action: '*', times: null, effect: 'skip', then: 'error', code: 'AuthFailure' }],
} as const;

async function boot(t: ExecutionContext, options: BootOptions = {}): Promise<BootedBroker> {
  const broker = await bootBroker(options);
  t.teardown(() => broker.close());
  return broker;
}

const provider = async ({ call }: BootedBroker, name = 'east') => (await call('GET', `/providers/${name}`)).body;

async function metric({ app }: BootedBroker): Promise<number> {
  const { body } = await app.inject('/metrics');
  return Number(/^muster_provider_healthy\{provider_instance="east"\} (\S+)$/m.exec(body)?.[1]);
}

test('an instance that was never called has unknown health and can be selected', async (t) => {
  const broker = await boot(t, { loop: 'none' });
  t.is((await provider(broker)).status, 'unknown');
  t.is((await provider(broker)).answered_at, undefined);
  t.is(await metric(broker), -1);
  const ready = await broker.app.inject('/readyz');
  t.is(ready.statusCode, 200);
  t.deepEqual(ready.json().checks.providers, { ok: true, instances: { east: { status: 'unknown' } } });
  t.like((await broker.app.inject('/info')).json().providers[0], { health: 'unknown', healthy: null });
  t.true((await broker.call('POST', '/machines/request', { template_id: 'small', machine_count: 1 })).status < 300);
});

test('an instance is checked soon after the start, without any request for machines', async (t) => {
  const broker = await boot(t, { settings: { health_first_ms: 0 } });
  const { answered_at } = await broker.until(async () => {
    const found = await provider(broker);
    return found.status === 'healthy' && found;
  });
  t.true(Math.abs(Date.now() - Date.parse(answered_at)) < 120_000);
  t.is(await metric(broker), 1);
  t.like((await broker.app.inject('/info')).json().providers[0], { health: 'healthy', healthy: true });
});

test('an instance without valid credentials is unhealthy soon after the start, without any request for machines', async (t) => {
  const broker = await boot(t, { settings: { health_first_ms: 0 }, knobs: refused });
  const { message } = await broker.until(async () => {
    const found = await provider(broker);
    return found.status === 'unhealthy' && found;
  });
  t.regex(message, /AuthFailure/);
  t.is(await metric(broker), 0);
  t.is((await broker.app.inject('/health')).statusCode, 503);
  t.is((await broker.app.inject('/readyz')).statusCode, 200);
});

test('a provider whose process died is unhealthy, without any request for machines', async (t) => {
  // Two minutes until it is asked again, half a minute until that counts.
  const broker = await boot(t, { settings: { health_first_ms: 0 }, clock: fastClock(100), storage: 'memory' });
  await broker.until(async () => (await provider(broker)).status === 'healthy');
  await broker.simulator.close();
  const { message } = await broker.until(async () => {
    const found = await provider(broker);
    return found.status === 'unhealthy' && found;
  });
  t.regex(message, /ECONNREFUSED/);
  t.is(await metric(broker), 0);
});

test('after the configuration was mended the first request does not get the old fault', async (t) => {
  const place = await makePlace({ knobs: refused });
  t.teardown(() => place.close());
  const before = await bootBroker({ place, settings: { health_first_ms: 0 } });
  await before.until(async () => (await provider(before)).status === 'unhealthy');
  await before.close();
  const request = { template_id: 'small', machine_count: 1 };
  const same = await bootBroker({ place, loop: 'none' });
  t.is(
    (await same.call('POST', '/machines/request', request)).status,
    503,
    'with the same configuration it is remembered',
  );
  await same.close();
  const file = join(place.directory, 'muster.config.json');
  await writeFile(file, (await readFile(file, 'utf8')).replace('AKIATEST', 'AKIAMENDED'));
  const mended = await bootBroker({ place, loop: 'none' });
  t.teardown(() => mended.close());
  t.is((await provider(mended)).status, 'unknown');
  t.true((await mended.call('POST', '/machines/request', request)).status < 300);
});

for (const loop of ['inline', 'thread'] as const)
  test(`a check of an instance returns its health at once, with the loop ${loop}`, async (t) => {
    const broker = await boot(t, { loop, settings: { health_first_ms: 3_600_000 } });
    const check = () => broker.call('POST', '/providers/east/check');
    const first = await broker.until(async () => {
      const answer = await check();
      return answer.status === 200 && answer.body;
    });
    t.like(first, { name: 'east', answered: true, status: 'healthy', fault: undefined });
    t.true(Date.parse(first.answered_at) <= Date.parse(first.checked_at));
    broker.simulator.setKnobs(refused);
    const { body } = await check();
    t.like(body, { name: 'east', answered: false, status: 'unhealthy', answered_at: first.answered_at });
    t.like(body.fault, { kind: 'credentials', code: 'AuthFailure' });
    await broker.until(async () => (await provider(broker)).status === 'unhealthy');
    t.is((await broker.call('POST', '/providers/nobody/check')).status, 404);
  });

test('without a loop a check is refused with the reason', async (t) => {
  const broker = await boot(t, { loop: 'none' });
  const { status, body } = await broker.call('POST', '/providers/east/check');
  t.is(status, 503);
  t.regex(JSON.stringify(body), /runs no loop/);
});

test('a program that embeds muster asks by its own loop', async (t) => {
  const { createBroker } = await import('../../host/sdk/index.ts');
  const directory = await mkdtemp(join(tmpdir(), 'muster-check-'));
  const place = await makePlace();
  const config = await readFile(join(place.directory, 'muster.config.json'), 'utf8');
  await writeFile(join(directory, 'muster.config.json'), config);
  const muster = await createBroker({ cwd: directory, env: {}, loop: 'inline' });
  t.teardown(async () => {
    await muster.close();
    await place.close();
    await rm(directory, { recursive: true });
  });
  t.like(await muster.check_provider({ provider_name: 'east' }), { answered: true, status: 'healthy' });
});
