import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import test from 'ava';
import { operations } from '../../../core/operations/registry.ts';
import { connect } from '../../../host/sdk/index.ts';
import { makePlace, startBroker, until, type Place } from '../../support/boot-broker.ts';
import { execCli } from '../../support/run-cli.ts';

/** A value that occurs nowhere by chance, in the form in which such a thing comes. */
const planted = {
  'access key in the file': 'AKIAPLANTEDEAST00001',
  'secret key in the file': 'planted/east+secret=0001',
  'unknown secret in the file': 'planted-api-token-0002',
  'nested secret in the file': 'planted-db-password-0003',
  'list of secrets in the file': 'planted-tokens-0004',
  'password of an endpoint': 'planted-endpoint-0005',
  'password of a proxy': 'planted-proxy-0006',
  'token in the environment': 'planted-env-token-0007',
  'nested secret in the environment': 'planted-env-nested-0008',
  "the SDK's secret in the environment": 'planted-aws-env-0009',
  'proxy of the environment': 'planted-env-proxy-0010',
  'secret in a credentials file': 'planted-cred-file-0011',
  'token of a credentials script': 'planted-cred-script-0012',
  'password of a plugin': 'planted-plugin-0013',
  'Authorization of a caller': 'planted-bearer-0014',
  'Cookie of a caller': 'planted-cookie-0015',
  'key of a caller': 'planted-api-key-0016',
  'token in a query': 'planted-query-0017',
  'secret that is validated': 'planted-validated-0018',
  'environment that is validated': 'planted-validated-env-0019',
  'secret where a number is due': 'planted-number-0020',
  'secret in broken JSON': 'planted-broken-0021',
  'value of an environment variable that is no number': 'planted-env-number-0022',
  'secret in an argument of a tool': 'planted-argument-0024',
} as const;
type Name = keyof typeof planted;
const p = (name: Name): string => planted[name];

const environment = {
  MUSTER_CLOUD_SESSION_TOKEN: p('token in the environment'),
  MUSTER_CLOUD_LAUNCH_TEMPLATE: JSON.stringify({ private_key: p('nested secret in the environment') }),
  AWS_SECRET_ACCESS_KEY: p("the SDK's secret in the environment"),
  AWS_ACCESS_KEY_ID: 'AKIAANOTHER',
  HTTPS_PROXY: `http://someone:${p('proxy of the environment')}@127.0.0.1:9`,
};

async function place(): Promise<Place> {
  const plugins = [
    'cloud',
    'cloud-runinstances',
    'default-format',
    'hostfactory-format',
    'storage-sqlite',
    join(import.meta.dirname, 'leaky'),
  ];
  const templates = ['east', 'west', 'north', 'south', 'leak'].map((name) => ({
    template_id: name,
    provider_name: name,
    provider_api: name === 'leak' ? 'Leaky' : 'RunInstances',
    image_id: 'ami-1',
    machine_type: 't3.small',
    subnet_ids: ['subnet-1'],
  }));
  const made = await makePlace({ templates });
  const { directory, simulator } = made;
  const { host } = new URL(simulator.url);
  const file = (name: string) => join(directory, name);
  await writeFile(
    file('credentials'),
    `[default]\naws_access_key_id = AKIAFILE\naws_secret_access_key = ${p('secret in a credentials file')}\n`,
  );
  await writeFile(
    file('credentials.sh'),
    `#!/bin/sh\necho '{"Version":1,"AccessKeyId":"AKIASCRIPT","SecretAccessKey":"x","SessionToken":"${p('token of a credentials script')}"}'\n`,
  );
  await chmod(file('credentials.sh'), 0o700);
  const keys = { access_key_id: p('access key in the file'), secret_access_key: p('secret key in the file') };
  const provider = (name: string, config: object) => ({
    name,
    type: 'cloud',
    config: { endpoint_url: simulator.url, ...config },
  });
  const configuration = {
    plugins,
    storage: { type: 'sqlite' },
    providers: [
      provider('east', {
        ...keys,
        api_token: p('unknown secret in the file'),
        database: { password: p('nested secret in the file') },
        tokens: [p('list of secrets in the file')],
      }),
      provider('west', {
        ...keys,
        endpoint_url: `http://someone:${p('password of an endpoint')}@${host}`,
        proxy_host: `http://someone:${p('password of a proxy')}@127.0.0.1`,
        proxy_port: 9,
      }),
      provider('north', { credential_file: file('credentials') }),
      provider('south', { credential_script: file('credentials.sh') }),
      { name: 'leak', type: 'leaky', config: { password: p('password of a plugin') } },
    ],
    server: { rate_limit: { enabled: false }, log_level: 'trace', workers: 2 },
  };
  await writeFile(file('muster.config.json'), JSON.stringify(configuration));
  return made;
}

test('a secret occurs only where it was put', async (t) => {
  const at = await place();
  t.teardown(() => at.close());
  at.simulator.setKnobs({
    faults: [
      { action: 'RunInstances', nth: 2, times: 2, effect: 'skip', then: 'error', code: 'AuthFailure', status: 401 },
    ],
  });
  const server = await startBroker({ place: at, env: environment });
  t.teardown(() => server.stop());
  const heard: [where: string, text: string][] = [];
  const callers = {
    authorization: `Bearer ${p('Authorization of a caller')}`,
    cookie: `session=${p('Cookie of a caller')}`,
    'x-api-key': p('key of a caller'),
  };
  async function rest(method: string, path: string, body?: unknown): Promise<any> {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const json = text === undefined ? {} : { body: text };
    const answer = await fetch(`${server.url}${path}`, {
      method,
      ...json,
      headers: { ...callers, 'content-type': 'application/json' },
    });
    const said = await answer.text();
    heard.push([`${method} ${path}`, `${JSON.stringify([...answer.headers])} ${said}`]);
    return answer.headers.get('content-type')?.includes('json') ? JSON.parse(said) : said;
  }

  // Work at every instance: some goes well, some meets faults that speak.
  const asked = await Promise.all(
    ['east', 'east', 'west', 'north', 'south', 'leak'].map((template_id) =>
      rest('POST', '/api/v1/machines/request', { template_id, machine_count: 1 }),
    ),
  );
  const ids = asked.flatMap(({ request_id }) => request_id ?? []);
  t.true(ids.length >= 2, JSON.stringify(asked));
  await until(async () => (await rest('GET', '/api/v1/requests/?status=completed')).count > 0);
  await until(() =>
    Promise.resolve(/cannot log in at/.test(server.output.stderr) && /AuthFailure/.test(server.output.stderr)),
  );

  const secret = { secret_access_key: p('secret that is validated'), client_secret: p('secret that is validated') };
  const instance = {
    name: 'x',
    type: 'cloud',
    config: { ...secret, session_token: { a: p('secret that is validated') } },
  };
  const odd = { ...instance, config: { ...instance.config, proxy_port: p('secret where a number is due') } };
  const bodies: readonly unknown[] = [
    {},
    { providers: [instance], ...secret },
    { providers: [odd] },
    {
      provider_type: 'cloud',
      environment_variables: {
        MUSTER_CLOUD_SESSION_TOKEN: p('environment that is validated'),
        MUSTER_CLOUD_CLOUD_MAX_RETRIES: p('value of an environment variable that is no number'),
        MUSTER_CLOUD_SECRET: p('environment that is validated'),
      },
    },
    { machine_count: p('secret where a number is due'), limit: p('secret where a number is due') },
    `{"secret_access_key": "${p('secret in broken JSON')}`,
  ];
  const { paths } = await rest('GET', '/openapi.json');
  for (const [path, methods] of Object.entries<Record<string, { requestBody?: object }>>(paths)) {
    for (const [method, { requestBody }] of Object.entries(methods)) {
      const values: Readonly<Record<string, string>> = {
        provider_name: 'west',
        template_id: 'east',
        request_id: ids[0],
      };
      const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? 'x');
      if (keepsAll(path)) continue;
      if (requestBody) for (const body of bodies) await rest(method.toUpperCase(), url, body);
      else await rest(method.toUpperCase(), `${url}?access_token=${p('token in a query')}`);
      if (method === 'get') await rest('GET', url);
    }
  }
  for (const name of ['east', 'west', 'north', 'south', 'leak']) await rest('GET', `/api/v1/providers/${name}`);
  for (const id of ids) await rest('GET', `/api/v1/requests/${id}`);
  for (const { name } of operations)
    if (!keepsAll(name)) for (const body of bodies.slice(1, 4)) await rest('POST', `/api/v1/operations/${name}`, body);
  for (const path of ['/info', '/health', '/metrics', '/docs', '/docs/json', '/redoc']) await rest('GET', path);

  const sdk = await connect({ url: server.url });
  const agent = new Client({ name: 'test', version: '1' });
  await agent.connect(
    new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit: { headers: callers } }) as any,
  );
  heard.push(
    ['MCP tools', JSON.stringify(await agent.listTools())],
    ['MCP resources', JSON.stringify(await agent.listResources())],
  );
  for (const { name } of operations) {
    if (keepsAll(name)) continue;
    const input = {
      providers: [instance],
      provider_name: 'west',
      request_id: ids[0],
      template_id: 'east',
      api_key: p('secret in an argument of a tool'),
    };
    const known = operations.find((each) => each.name === name)?.input.properties ?? {};
    const fitting = Object.fromEntries(Object.entries(input).filter(([field]) => field in known));
    const answer = await (sdk as any)[name](fitting).catch((error: any) => `${error.stack} ${JSON.stringify(error)}`);
    heard.push([`SDK ${name}`, JSON.stringify(answer)]);
    // What is too much is refused, and a refusal tells what was sent.
    heard.push([`MCP ${name}`, JSON.stringify(await agent.callTool({ name, arguments: input }))]);
  }
  for (const { uri } of (await agent.listResources()).resources)
    heard.push([`MCP ${uri}`, JSON.stringify(await agent.readResource({ uri }))]);
  await Promise.all([agent.close(), sdk.close()]);

  const commands = [
    'config show',
    'config validate',
    'providers show west',
    'providers list --output json',
    'server status',
  ];
  for (const command of commands) {
    const { out, err } = await execCli(command.split(' '), { cwd: at.directory, env: environment });
    heard.push([`muster ${command}`, `${out}${err}`]);
  }
  // What is refused at the start: a wrong type, an unknown option, an environment that says nothing of use.
  const wrong = {
    providers: [{ ...instance, config: { ...instance.config, cloud_max_retries: p('secret where a number is due') } }],
    storage: { type: 'sqlite', password: p('secret that is validated') },
  };
  await writeFile(join(at.directory, 'wrong.json'), JSON.stringify(wrong));
  for (const command of [
    'server start --foreground --config wrong.json',
    'config validate --config wrong.json',
    'providers validate --file wrong.json',
  ]) {
    const { out, err } = await execCli(command.split(' '), {
      cwd: at.directory,
      env: {
        ...environment,
        MUSTER_DATA_DIR: join(at.directory, 'other'),
        MUSTER_CLOUD_CLOUD_MAX_RETRIES: p('value of an environment variable that is no number'),
      },
    });
    t.regex(`${out}${err}`, /max_retries/i, command);
    heard.push([`muster ${command}`, `${out}${err}`]);
  }

  for (const pid of [server.pid, ...childrenOf(server.pid)])
    heard.push([`command line of ${pid}`, readFileSync(`/proc/${pid}/cmdline`, 'latin1')]);
  t.true(childrenOf(server.pid).length >= 2);
  const data = join(at.directory, 'data');
  const files = await readdir(data);
  for (const name of files.filter((each) => !each.endsWith('.sock')))
    heard.push([name, await readFile(join(data, name), 'latin1')]);
  t.true(files.includes('server.json') && files.includes('muster.db-wal'), files.join());
  t.is(await server.kill('SIGTERM'), 0);
  for (const name of await readdir(data))
    heard.push([`${name} after the end`, await readFile(join(data, name), 'latin1')]);
  heard.push(['stdout', server.output.stdout], ['the log at trace', server.output.stderr]);
  t.true(server.output.stderr.length > 10_000);
  t.regex(server.output.stderr, /"level":"debug"/);

  t.true(heard.length > 200);
  const found = heard.flatMap(([where, text]) =>
    marks.flatMap(([what, own]) => {
      const form = own.find((each) => text.includes(each));
      return form === undefined ? [] : [`${what}: ${where}: ${around(text, form)}`];
    }),
  );
  t.deepEqual([...new Set(found)].slice(0, 40), []);
});

/** Templates are open: what a caller writes into one is shown to all who ask for it, as it was written. */
const keepsAll = (name: string): boolean =>
  /^\/api\/v1\/templates\/(\{template_id\})?$|_template$|providers\/select|test_provider_selection/.test(name);

/** As it is, in JSON, in a URL, and in base64 wherever it stands in what was encoded. */
function forms(value: string): readonly string[] {
  const base64 = [0, 1, 2].map((shift) =>
    Buffer.from(`${'x'.repeat(shift)}${value}`)
      .toString('base64')
      .replace(/=+$/, '')
      .slice(shift === 0 ? 0 : 4, -3),
  );
  return [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value), ...base64];
}

/** What betrays each of them. */
const marks = Object.entries(planted).map(([what, value]) => [what, forms(value)] as const);

const around = (text: string, value: string): string =>
  text.slice(Math.max(0, text.indexOf(value) - 80), text.indexOf(value) + 40).replaceAll(/\s+/g, ' ');

function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}
