import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { loadConfiguration } from '../../../config/load.ts';
import { inCall } from '../../../host/http/call-context.ts';
import { stderrLog } from '../../../host/process/log.ts';
import { secretsOf } from '../../../host/process/secrets.ts';
import { bootBroker, makePlace, startBroker, until } from '../../support/boot-broker.ts';

const id = 'AKIAPLANTEDPLANTED';
const nested = 'planted-where-no-schema-looks';
const inAddress = 'planted-in-an-address';
const secret = 'planted/secret+of"40-characters\\xxxxxxxxxx';
const token = 'planted-session-token-xxxxxxxxxxxxxxxxxxxx';

test('no line holds what the schema of a plugin calls sensitive, wherever it turns up', async (t) => {
  const config = {
    access_key_id: id,
    secret_access_key: secret,
    session_token: token,
    region: 'eu-central-1',
    vault: { api_password: nested },
    proxy_host: `me:${inAddress}@proxy`,
  };
  const place = await makePlace({ configuration: { providers: [{ name: 'east', type: 'cloud', config }] } });
  t.teardown(() => place.close());
  const loaded = await loadConfiguration({ cwd: place.directory, env: {} });
  const lines: string[] = [];
  const log = stderrLog('trace', { secrets: secretsOf(loaded), to: { write: (line) => void lines.push(line) } });
  log.info({ configuration: loaded.configuration, deep: [{ er: { config } }] }, `key ${id} with ${secret}`);
  log.error({ err: new Error(`refused ${token}`, { cause: new Error(secret) }) }, 'A call failed.');
  const text = lines.join('');
  for (const planted of [id, secret, token, nested, inAddress, JSON.stringify(secret).slice(1, -1)])
    t.false(text.includes(planted));
  t.is(text.split('***').length - 1 >= 10, true);
  for (const line of lines) t.notThrows(() => JSON.parse(line));
  t.true(text.includes('eu-central-1'));
});

test('a line of a call carries its X-Request-Id, however late it is written; other lines carry none', async (t) => {
  const lines: string[] = [];
  const log = stderrLog('info', { to: { write: (line) => void lines.push(line) } });
  await new Promise<void>((resolve) =>
    inCall({ x_request_id: 'call-7', actor: { interface: 'rest' } }, () => {
      setTimeout(() => {
        log.info({ request_id: 'req-1' }, 'later');
        resolve();
      }, 5);
      log.info({ x_request_id: 'given' }, 'at once');
    }),
  );
  log.info({}, 'outside');
  t.deepEqual(
    lines.map((line) => JSON.parse(line).x_request_id),
    ['given', 'call-7', undefined],
  );
});

test('what a call wrote into the journal names the call', async (t) => {
  const broker = await bootBroker({ loop: 'none' });
  t.teardown(() => broker.close());
  await broker.call(
    'POST',
    '/machines/request',
    { template_id: 'small', machine_count: 1 },
    { 'x-request-id': 'call-8' },
  );
  const [event] = await broker.broker.store.find('event', { where: { type: 'request.created' } as never });
  t.like(event, { data: { x_request_id: 'call-8', machine_count: 1 } });
});

/** A provider whose plugin says all that it knows, as no plugin should. */
const leaky = `
const text = { type: 'string' };
const config = { type: 'object', properties: { region: text, api_key: { ...text, sensitive: true } } };
const capabilities = { supports_spot: false, supports_on_demand: true, max_instances: 9, supported_fleet_types: [], machines_per_launch: 9,
  offers_per_launch: 'many', visible_within_ms: 0, token_valid_ms: 1000, late_release_ms: 0 };
const never = async () => { throw new Error('never'); };
export default {
  [Symbol.for('muster.plugin')]: true, name: 'leaky', contract: 1,
  providers: [{ type: 'leaky', config, connect(config, { log }) {
    log.info({ config, nested: { list: [config.api_key] } }, 'connecting with ' + config.api_key);
    throw new Error('refused ' + config.api_key);
  } }],
  providerApis: [{ type: 'leaky', name: 'Leak', capabilities, launch: never, observe: never, release: never }],
};`;

test('a running server logs calls with their id and without secrets, whatever a plugin logs in the loop', async (t) => {
  const place = await makePlace({
    templates: [{ template_id: 'small', provider_type: 'leaky', provider_api: 'Leak' }],
    configuration: {
      plugins: ['./leaky.mjs', 'default-format', 'storage-sqlite'],
      providers: [{ name: 'east', type: 'leaky', config: { region: 'eu-central-1', api_key: secret } }],
    },
  });
  t.teardown(() => place.close());
  writeFileSync(join(place.directory, 'leaky.mjs'), leaky);
  const broker = await startBroker({ place, args: ['--server-log-level', 'debug'] });
  t.teardown(() => broker.stop());
  const headers = { 'content-type': 'application/json', 'x-request-id': 'call-9' };
  await fetch(`${broker.url}/api/v1/machines/request`, {
    method: 'POST',
    headers,
    body: '{"template_id":"small","machine_count":1}',
  });
  await until(async () => broker.output.stderr.includes('is unhealthy'));
  const lines = broker.output.stderr.trim().split('\n');
  const call = lines.map((line) => JSON.parse(line)).find(({ x_request_id }) => x_request_id === 'call-9');
  t.like(call, { level: 'debug', method: 'POST', url: '/api/v1/machines/request', status: 200 });
  t.regex(broker.output.stderr, /"config":\{"region":"eu-central-1","api_key":"\*\*\*"\}.*connecting with \*\*\*/);
  for (const planted of [secret, JSON.stringify(secret).slice(1, -1)]) t.false(broker.output.stderr.includes(planted));
});
