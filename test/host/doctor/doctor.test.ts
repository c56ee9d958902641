import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { doctor } from '../../../host/doctor/doctor.ts';
import type { Report } from '../../../host/doctor/report.ts';
import { bootBroker, makePlace, type PlaceOptions } from '../../support/boot-broker.ts';

async function place(t: ExecutionContext, options: PlaceOptions = {}) {
  const made = await makePlace(options);
  t.teardown(() => made.close());
  return made;
}
const run = (cwd: string, more: object = {}) => doctor({ cwd, env: {}, ...more });
const of = ({ checks }: Report, name: string) => checks.filter(({ check }) => check === name);
const port0 = { server: { port: 0, rate_limit: { enabled: false } } };

test('where nothing is missing the report has no error, and every check is in it', async (t) => {
  const { directory } = await place(t, { configuration: port0 });
  const report = await run(directory);
  t.true(report.ok, JSON.stringify(report.checks.filter(({ level }) => level !== 'ok')));
  t.deepEqual(
    [...new Set(report.checks.map(({ check }) => check))],
    [
      'node',
      'configuration',
      'data-directory',
      'port',
      'storage',
      'templates',
      'connection',
      'credentials',
      'clock',
      'subnets',
      'images',
      'permissions',
      'quotas',
    ],
  );
  t.true(report.checks.every(({ level, remedy, why }) => why !== '' && (level === 'ok') === (remedy === null)));
});

test('the doctor changes nothing in the cloud, in the storage and in the directory', async (t) => {
  const booted = await bootBroker({ configuration: port0 });
  t.teardown(booted.close);
  const { directory } = booted.place;
  const { body } = await booted.call('POST', '/machines/request', { template_id: 'small', machine_count: 1 });
  await booted.until(async () => {
    const { body: status } = await booted.call('GET', `/requests/${body.request_id}/status`);
    return status.status === 'completed';
  });
  const seen = async () => ({
    files: (await readdir(directory, { recursive: true })).toSorted().filter((name) => !/-(wal|shm)$/.test(name)),
    live: booted.simulator.ledger(),
    changes: booted.simulator
      .audit()
      .filter(({ action, code }) => !/^(Describe|Get)/.test(action) && code === undefined).length,
    requests: (await booted.call('GET', '/requests/')).body,
  });
  const hash = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex');
  const before = await seen();
  const report = await run(directory);
  t.true(report.ok, JSON.stringify(report.checks.filter(({ level }) => level === 'error')));
  const after = await seen();
  t.deepEqual(after.files, before.files);
  t.is(after.changes, before.changes);
  t.is(hash(after.requests), hash(before.requests));
  t.deepEqual(Object.keys((after.live as any).live), Object.keys((before.live as any).live));
});

test('with a broken configuration the rest is checked all the same', async (t) => {
  const { directory, simulator } = await place(t);
  const file = join(directory, 'muster.config.json');
  const configuration = JSON.parse(await readFile(file, 'utf8'));
  configuration.server = { port: 'eight thousand' };
  configuration.providers.push({ name: 'west', type: 'cloud', config: { cloud_max_retries: 99 } });
  configuration.providers.push({ name: 'scripted', type: 'cloud', config: { credential_script: './keys.sh' } });
  await writeFile(file, JSON.stringify(configuration));
  simulator.setKnobs({ auth: { denied: [{ action: 'RunInstances' }] } });
  const report = await run(directory);
  t.false(report.ok);
  const messages = of(report, 'configuration').map(({ message }) => message);
  t.true(messages.some((message) => message.includes('/server/port')));
  t.true(messages.some((message) => /'west' is not checked/.test(message)));
  t.true(messages.some((message) => /'scripted' is not checked/.test(message)));
  t.is(of(report, 'templates')[0]?.level, 'ok');
  t.regex(
    of(report, 'permissions')[0]?.message ?? '',
    /^RunInstances is denied: templates 'bounded', 'fleet', 'small'/,
  );
});

test('a file that is no configuration is said, and the host is checked', async (t) => {
  const { directory } = await place(t);
  await writeFile(join(directory, 'muster.config.json'), '{ not json');
  const report = await run(directory);
  t.is(of(report, 'configuration')[0]?.level, 'error');
  t.is(of(report, 'node')[0]?.level, 'ok');
  t.is(of(report, 'data-directory')[0]?.level, 'ok');
});

test('an instance that does not answer is an error, and the others are checked', async (t) => {
  const { directory, simulator } = await place(t, {
    configuration: {
      ...port0,
      providers: ['east', 'away'].map((name) => ({
        name,
        type: 'cloud',
        config: { endpoint_url: 'http://127.0.0.1:9', access_key_id: 'AKIATEST', secret_access_key: 'test-secret' },
      })),
    },
  });
  const file = join(directory, 'muster.config.json');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('http://127.0.0.1:9', simulator.url));
  const report = await run(directory);
  const connections = Object.fromEntries(of(report, 'connection').map(({ instance, level }) => [instance, level]));
  t.deepEqual(connections, { east: 'ok', away: 'error' });
  t.true(of(report, 'permissions').every(({ instance }) => instance === 'east'));
  t.false(JSON.stringify(report).includes('test-secret'));
  const one = await run(directory, { instance: 'east' });
  t.true(one.ok, JSON.stringify(one.checks.filter(({ level }) => level === 'error')));
  await t.throwsAsync(run(directory, { instance: 'north' }), {
    code: 'PROVIDER_NOT_FOUND',
    message: /There are: east, away/,
  });
});

test('a directory without templates is an error', async (t) => {
  const { directory } = await place(t, { configuration: port0, templates: [] });
  const [found] = of(await run(directory), 'templates');
  t.regex(found?.message ?? '', /^There are no templates in /);
  t.true(found?.remedy?.includes(join(directory, 'templates.yaml')), found?.remedy ?? '');
});
