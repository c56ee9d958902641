import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import test from 'ava';
import { readServerPlace } from '../../../host/data-directory/server-place.ts';
import { until } from '../../support/boot-broker.ts';
import { ended, makeScheduler } from './support.ts';

const templates = [
  {
    template_id: 'small',
    provider_api: 'RunInstances',
    image_id: 'ami-1',
    machine_type: 't3.small',
    subnet_ids: ['subnet-1'],
  },
];
const template = { templateId: 'small', machineCount: 1 };

test('twenty scripts at once start exactly one server, and none is lost', async (t) => {
  const scheduler = await makeScheduler({ templates });
  t.teardown(scheduler.close);
  const calls = await Promise.all(Array.from({ length: 20 }, () => scheduler.run('requestMachines', { template })));
  for (const { code, stdout } of calls) t.is(code, 0, stdout);
  t.is(new Set(calls.map(({ answer }) => answer.requestId)).size, 20);
  const log = readFileSync(join(scheduler.data, 'server.log'), 'utf8');
  t.is(log.match(/answers at/g)?.length, 1, log);
  t.notRegex(log, /Another server/, 'nor was one started in vain');
  await until(async () => Object.keys(scheduler.place.simulator.ledger().live).length === 20);
});

test('the port of another server does not hinder one that a script starts', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  t.teardown(() => void other.close());
  await once(other, 'listening');
  const { port } = other.address() as { readonly port: number };
  const scheduler = await makeScheduler({ templates, configuration: { server: { port } } });
  t.teardown(scheduler.close);
  const { code, stdout } = await scheduler.run('getAvailableTemplates');
  t.is(code, 0, stdout);
  t.not(readServerPlace(scheduler.data)?.port, port);
});

test('a server that dies with the call in its hands: the call is sent again, and carried out once', async (t) => {
  const scheduler = await makeScheduler({ templates });
  t.teardown(scheduler.close);
  // Takes the call and breaks off, as a server that is killed.
  mkdirSync(scheduler.data);
  const socket_path = join(scheduler.data, 'dying.sock');
  const keys: string[] = [];
  const dying = createServer((socket) =>
    socket.once('data', (data) => {
      keys.push(/idempotency-key: (\S+)/.exec(String(data))?.[1] ?? '');
      dying.close();
      socket.destroy();
    }),
  ).listen(socket_path);
  const place = {
    pid: 1,
    host: '127.0.0.1',
    port: 1,
    socket_path,
    started_at: new Date().toISOString(),
    version: '0',
  };
  await writeFile(join(scheduler.data, 'server.json'), JSON.stringify(place));
  const { code, answer, stdout } = await scheduler.run('requestMachines', { template });
  t.is(code, 0, stdout);
  t.regex(answer.requestId, /^req-/);
  t.regex(keys.join(), /^script-[0-9]+-[0-9]+-[0-9a-z]+$/);
});

test('an invalid or missing configuration is reported in one JSON message', async (t) => {
  const scheduler = await makeScheduler({ templates });
  t.teardown(scheduler.close);
  const config = join(scheduler.place.directory, 'muster.config.json');
  await rename(config, `${config}.away`);
  const none = await scheduler.run('getAvailableTemplates');
  t.is(none.code, 1);
  t.regex(
    none.answer.message,
    /^muster has no configuration: none of muster\.config\.yaml, .*awsprov_config\.json is in .* MUSTER_CONFIG\.$/,
  );
  const bare = await scheduler.run('getAvailableTemplates', {}, { HF_PROVIDER_CONFDIR: '', HF_PROVIDER_WORKDIR: '' });
  t.regex(bare.answer.message, /neither MUSTER_CONFIG nor HF_PROVIDER_CONFDIR is set/);
  const named = await scheduler.run('getAvailableTemplates', {}, { MUSTER_CONFIG: '/nowhere/muster.yaml' });
  t.deepEqual(named.answer, {
    message: 'The configuration file /nowhere/muster.yaml, which MUSTER_CONFIG names, does not exist.',
  });
  await writeFile(config, '{"schedular": "default"}');
  const wrong = await scheduler.run('getAvailableTemplates');
  t.is(wrong.code, 1);
  t.deepEqual(Object.keys(wrong.answer), ['message']);
  t.regex(
    wrong.answer.message,
    /^The server could not be started\. .*muster\.config\.json:1:\d+.*did you mean 'scheduler'/,
  );
  t.false(existsSync(join(scheduler.data, 'server.json')));
});

test('an invalid input file is reported in one JSON message, and no server is started', async (t) => {
  const scheduler = await makeScheduler({ templates });
  t.teardown(scheduler.close);
  for (const [text, message] of [
    ['{"template": ', /^Invalid input file\. .*hf_in_\d+ is not JSON: .*\.$/],
    ['', /^Invalid input file\. .* is not JSON: it is empty\.$/],
  ] as const) {
    const { code, answer, stderr } = await scheduler.run('requestMachines', text);
    t.deepEqual([code, stderr], [1, '']);
    t.regex(answer.message, message);
  }
  t.false(existsSync(scheduler.data));
});

test('an answer that could not be written is a failure', async (t) => {
  const scheduler = await makeScheduler({ templates });
  t.teardown(scheduler.close);
  const script = `exec '${join(scheduler.place.directory, 'scripts/getAvailableMachines.sh')}' > /dev/full`;
  const env = { HF_PROVIDER_CONFDIR: scheduler.place.directory, HF_PROVIDER_WORKDIR: scheduler.data };
  const { code, stderr } = await ended('/bin/sh', ['-c', script], env);
  t.deepEqual([code, stderr], [1, '']);
});

test("HostFactory's own files for AWS are taken as they are, and the log goes where the scheduler says", async (t) => {
  const scheduler = await makeScheduler({ templates });
  t.teardown(scheduler.close);
  const { directory, simulator } = scheduler.place;
  for (const name of ['muster.config.json', 'templates.json']) await rm(join(directory, name));
  const credentials = join(directory, 'credentials');
  await writeFile(credentials, '[default]\naws_access_key_id = AKIATEST\naws_secret_access_key = test\n');
  await writeFile(
    join(directory, 'awsprov_config.json'),
    `{ "LogLevel": "INFO",\t\t \n "AWS_CREDENTIAL_FILE": "${credentials}",\t\n "AWS_REGION": "us-west-2", "AWS_ENDPOINT_URL": "${simulator.url}" }`,
  );
  const given = {
    templateId: 'Template-VM-1',
    maxNumber: 5,
    attributes: { ncpus: 1 },
    imageId: 'ami-27a1',
    subnetId: 'subnet-b573',
    vmType: 't2.micro',
  };
  await writeFile(
    join(directory, 'awsprov_templates.json'),
    JSON.stringify({ templates: [{ ...given, securityGroupIds: [''] }] }),
  );
  const asked = await scheduler.run('requestMachines', { template: { templateId: 'Template-VM-1', machineCount: 1 } });
  t.is(asked.code, 0, asked.stdout);
  const machines = await until(async () => {
    const { answer } = await scheduler.run(
      'getRequestStatus',
      { requests: [{ requestId: asked.answer.requestId }] },
      { HF_LOGLEVEL: 'DEBUG' },
    );
    return answer.requests[0].status === 'complete' && answer.requests[0].machines;
  });
  t.regex(machines[0].name, /us-west-2/);
  const [log = ''] = (await import('node:fs')).readdirSync(scheduler.logs);
  t.regex(
    readFileSync(join(scheduler.logs, log), 'utf8'),
    /"level":"debug".*"script":"getRequestStatus","exit_code":0/,
  );
});
