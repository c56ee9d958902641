import test from 'ava';
import { bootBroker, type BootedBroker } from '../../support/boot-broker.ts';

const east = { name: 'east', type: 'cloud', config: {} };
const providers = [east, { ...east, name: 'west' }, { ...east, name: 'spare', enabled: false }];

/** Stores what the loop would have found. */
async function found(broker: BootedBroker, name: string, value: object): Promise<void> {
  await broker.broker.facts.learn([{ topic: 'health', name, item: '', value, at: Date.now() }]);
}

test('the broker is ready while one enabled instance answers, and says how each is', async (t) => {
  const broker = await bootBroker({ loop: 'none', configuration: { providers } });
  t.teardown(() => broker.close());
  await found(broker, 'west', { healthy: false, message: 'The key is unknown.' });
  await broker.until(async () => !broker.broker.facts.health('west').healthy);
  for (const url of ['/readyz', '/health']) {
    const answer = await broker.app.inject(url);
    t.is(answer.statusCode, 200);
    t.deepEqual(answer.json().checks.providers, {
      ok: true,
      instances: {
        east: { status: 'healthy' },
        west: { status: 'unhealthy', message: 'The key is unknown.' },
        spare: { status: 'disabled' },
      },
    });
  }
  await found(broker, 'east', { healthy: false });
  const answer = await broker.until(async () => {
    const answer = await broker.app.inject('/readyz');
    return answer.statusCode === 503 && answer;
  });
  t.is(answer.headers['retry-after'], '5');
  t.like(answer.json(), { status: 'unavailable', checks: { providers: { ok: false, message: 'No enabled provider instance answers.' } } });
  t.is((await broker.app.inject('/livez')).statusCode, 200);
  await found(broker, 'west', { healthy: true });
  await broker.until(async () => (await broker.app.inject('/readyz')).statusCode === 200);
});

test('the broker is not ready when the loop stands still or the storage is gone', async (t) => {
  const broker = await bootBroker();
  t.teardown(() => broker.close());
  t.is((await broker.app.inject('/readyz')).statusCode, 200);
  await broker.broker.loop?.stop();
  const answer = await broker.app.inject('/readyz');
  t.is(answer.statusCode, 503);
  t.like(answer.json().checks, { storage: { ok: true }, loop: { ok: false, message: 'The loop is stopped.' } });
  await broker.broker.close();
  t.false((await broker.app.inject('/readyz')).json().checks.storage.ok);
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
