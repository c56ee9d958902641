import { renameSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { Health } from '../../../core/model/health.ts';
import { bootBroker, type BootedBroker } from '../../support/boot-broker.ts';

const east = { name: 'east', type: 'cloud', config: {} };
const configured = [east, { ...east, name: 'west' }, { ...east, name: 'spare', enabled: false }];

/** Stores what the loop would have found. */
async function found(broker: BootedBroker, name: string, value: Health): Promise<void> {
  await broker.broker.facts.learnHealth(name, value);
}

test('the broker is healthy while one enabled instance answers, says how each is, and is ready without any', async (t) => {
  const broker = await bootBroker({ loop: 'none', configuration: { providers: configured } });
  t.teardown(() => broker.close());
  await found(broker, 'west', { status: 'unhealthy', message: 'The key is unknown.' });
  await broker.until(async () => broker.broker.facts.health('west').status === 'unhealthy');
  for (const url of ['/readyz', '/health']) {
    const answer = await broker.app.inject(url);
    t.is(answer.statusCode, 200);
    t.deepEqual(answer.json().checks.providers, {
      ok: true,
      instances: {
        east: { status: 'unknown' },
        west: { status: 'unhealthy', message: 'The key is unknown.' },
        spare: { status: 'disabled' },
      },
    });
  }
  await found(broker, 'east', { status: 'unhealthy' });
  const answer = await broker.until(async () => {
    const answer = await broker.app.inject('/health');
    return answer.statusCode === 503 && answer;
  });
  t.is(answer.headers['retry-after'], '5');
  const providers = { ok: false, message: 'No enabled provider instance answers.' };
  t.like(answer.json(), { status: 'unavailable', checks: { providers } });
  const ready = await broker.app.inject('/readyz');
  t.is(ready.statusCode, 200, 'a load balancer takes no broker away because of the cloud');
  t.like(ready.json(), { status: 'ok', checks: { providers } });
  t.is((await broker.app.inject('/livez')).statusCode, 200);
  await found(broker, 'west', { status: 'healthy' });
  await broker.until(async () => (await broker.app.inject('/health')).statusCode === 200);
});

test('the broker is not ready when the loop has stopped or the storage is missing', async (t) => {
  const broker = await bootBroker();
  t.teardown(() => broker.close());
  t.is((await broker.app.inject('/readyz')).statusCode, 200);
  await broker.broker.loop?.stop();
  const answer = await broker.app.inject('/readyz');
  t.is(answer.statusCode, 503);
  t.like(answer.json().checks, { storage: { ok: true }, loop: { ok: false, message: 'The loop has stopped.' } });
  await broker.broker.close();
  t.false((await broker.app.inject('/readyz')).json().checks.storage.ok);
});

test('a broker that stops refuses to be ready first, then leaves the list of brokers, and still answers', async (t) => {
  const broker = await bootBroker();
  t.teardown(() => broker.close());
  const listed = async () => (await broker.app.inject('/api/v1/brokers/')).json().brokers;
  const { broker_id } = (await broker.app.inject('/info')).json();
  const [own] = await broker.until(async () => (await listed()).length > 0 && (await listed()));
  t.like(own, { broker_id, status: 'live', pid: process.pid, holds: 0, warnings: [] });
  const stopped = broker.broker.drain();
  t.like((await broker.app.inject('/readyz')).json().checks, { draining: { ok: false } });
  await stopped;
  t.deepEqual(await listed(), []);
  t.is((await broker.app.inject('/readyz')).statusCode, 503);
  t.is((await broker.app.inject('/livez')).statusCode, 200);
});

test('a broker whose data directory was moved away reports it and refuses commands, and continues when the directory is back', async (t) => {
  const broker = await bootBroker({ loop: 'thread' });
  t.teardown(() => broker.close());
  const data = join(broker.place.directory, 'data');
  const ask = () => broker.call('POST', '/machines/request', { template_id: 'small', machine_count: 1 });
  const ended = async (id: string) => (await broker.call('GET', `/requests/${id}/status`)).body.status === 'completed';
  const { body: first } = await ask();
  await broker.until(() => ended(first.request_id));
  renameSync(data, `${data}.away`);
  const says = /muster\.db was removed or moved while muster runs\. muster stopped writing/;
  // The thread of the loop notices by itself, whatever callers do.
  const told = await broker.until(async () => {
    const answer = await broker.app.inject('/readyz');
    return answer.statusCode === 503 && says.test(answer.json().checks.loop.message) && answer;
  });
  t.regex(told.json().checks.storage.message, says);
  const refused = await broker.until(async () => {
    const answer = await ask();
    return answer.status === 503 && answer;
  });
  t.regex(refused.body.detail, says);
  t.is((await broker.call('GET', '/requests/')).status, 200);
  renameSync(`${data}.away`, data);
  await broker.until(async () => (await broker.app.inject('/readyz')).statusCode === 200);
  const { status, body } = await ask();
  t.is(status, 200);
  await broker.until(() => ended(body.request_id));
});

test('health, metrics and what it is are never limited', async (t) => {
  const rate_limit = { provider: 1, template: 1, request: 1, validation: 1 };
  const broker = await bootBroker({ loop: 'none', configuration: { server: { rate_limit } } });
  t.teardown(() => broker.close());
  for (const url of ['/readyz', '/health', '/livez', '/info', '/metrics']) {
    for (let times = 0; times < 3; times++) {
      const answer = await broker.app.inject(url);
      t.is(answer.statusCode, 200, url);
      t.is(answer.headers['x-ratelimit-limit'], undefined);
    }
  }
});
