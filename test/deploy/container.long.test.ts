import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import test from 'ava';
import { makePlace, startBroker, until } from '../support/boot-broker.ts';
import { containerInstructions } from './deploy-files.ts';

test('the health check of the image finds the broker at any port, and tells when it is not there', async (t) => {
  const [, text = ''] = containerInstructions().find(([name]) => name === 'HEALTHCHECK') ?? [];
  const [, ...words] = JSON.parse(text.slice(text.indexOf('['))) as string[];
  const place = await makePlace();
  t.teardown(() => place.close());
  const data = join(place.directory, 'data');
  const health = () => spawnSync(process.execPath, words, { env: { MUSTER_DATA_DIR: data }, timeout: 20_000 }).status;
  t.is(health(), 1, 'no server');
  const broker = await startBroker({ place, env: { MUSTER_DATA_DIR: data } });
  t.teardown(() => broker.stop());
  t.not(new URL(broker.url).port, '8000');
  await until(async () => (await fetch(`${broker.url}/readyz`)).ok);
  t.is(health(), 0);
  await broker.stop();
  t.is(health(), 1);
});
