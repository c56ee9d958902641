import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { loadConfiguration } from '../../config/load.ts';
import type { Finding } from '../../core/contract/findings.ts';

async function load(
  t: ExecutionContext,
  text: string,
  env: Record<string, string> = {},
  name = 'awsprov_config.json',
) {
  const directory = await mkdtemp(join(tmpdir(), 'muster-awsprov-'));
  t.teardown(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, name), text);
  return { directory, ...(await loadConfiguration({ cwd: directory, env, file: name })) };
}

test('the configuration of HostFactory’s AWS provider is one instance in HostFactory’s words, with its templates beside it', async (t) => {
  const text =
    '{\n  "LogLevel": "WARN",\t\t  \n  "AWS_CREDENTIAL_FILE": "/home/aws/credentials",\t\n  "AWS_REGION": "us-west-2"\t\t\n}\n';
  const { configuration, findings, directory } = await load(t, text);
  // This machine has no such file: that is told with its place, and changes nothing.
  t.deepEqual(
    findings.map(({ level, message, file }) => [level, message, file?.split(':').slice(-2).join(':')]),
    [['warning', 'FILE_NOT_FOUND: credential_file /home/aws/credentials does not exist', '3:3']],
  );
  t.is(configuration.scheduler, 'hostfactory');
  t.is(configuration.templates.directory, directory);
  t.is(configuration.data_directory, join(directory, 'data'));
  t.like(configuration.server, { port: 0, log_level: 'warn' });
  t.is(configuration.providers.length, 1);
  t.like(configuration.providers[0], { name: 'aws', type: 'cloud', enabled: true });
  t.like(configuration.providers[0]?.config, {
    region: 'us-west-2',
    credential_file: '/home/aws/credentials',
    cloud_max_retries: 3,
  });
});

test('every key of every product is taken: it has its effect, or a warning says in whose stead what is done', async (t) => {
  const all = {
    AWS_REGION: 'eu-west-1',
    AWS_CREDENTIAL_FILE: '',
    AWS_CREDENTIAL_SCRIPT: 'get.sh',
    AWS_CREDENTIAL_RENEW_MARGIN: '5',
    AWS_KEY_FILE: 'keys',
    AWS_ENDPOINT_URL: 'https://vpce-1.example',
    AWS_PROXY_HOST: 'proxy.example',
    AWS_PROXY_PORT: '3128',
    AWS_CONNECTION_TIMEOUT_MS: 2_500,
    AWS_REQUEST_RETRY_ATTEMPTS: 1,
    AWS_INSTANCE_PENDING_TIMEOUT_SEC: 300,
    AWS_DESCRIBE_REQUEST_RETRY_ATTEMPTS: 7,
    AWS_DESCRIBE_REQUEST_INTERVAL: 100,
    ACCEPT_PROPAGATED_LOG_SETTING: 'true',
    LogLevel: 'INFO',
    AWS_SPOT_TERMINATE_ON_RECLAIM: false,
    AWS_TAG_InstanceID: true,
    INSTANCE_CREATION_TIMEOUT: 10,
  };
  const { configuration, findings, directory } = await load(t, JSON.stringify(all), { HF_LOGLEVEL: 'LOG_DEBUG' });
  // The program is none that this machine has.
  const [missing, ...told] = findings.toSorted(
    (a, b) => Number(b.message.startsWith('FILE_NOT')) - Number(a.message.startsWith('FILE_NOT')),
  );
  t.like(missing, { level: 'warning', path: '/providers/0/config/credential_script' });
  t.deepEqual(told.map(({ path }) => path).toSorted(), [
    '/AWS_CREDENTIAL_RENEW_MARGIN',
    '/AWS_DESCRIBE_REQUEST_INTERVAL',
    '/AWS_REQUEST_RETRY_ATTEMPTS',
    '/INSTANCE_CREATION_TIMEOUT',
  ]);
  for (const { level, message, file } of told) {
    t.is(level, 'warning');
    t.regex(message, /^has no effect: \w/);
    t.regex(file ?? '', /awsprov_config\.json:1:\d+$/);
  }
  t.like(configuration.providers[0]?.config, {
    region: 'eu-west-1',
    credential_file: null,
    credential_script: join(directory, 'get.sh'),
    key_file: join(directory, 'keys'),
    endpoint_url: 'https://vpce-1.example',
    proxy_host: 'proxy.example',
    proxy_port: 3128,
    cloud_connect_timeout: 3,
    cloud_max_retries: 7,
    terminate_on_reclaim: false,
    tag_instance_id: true,
  });
  t.is(configuration.server.log_level, 'debug', 'the scheduler’s, which this side accepts');
  const off = await load(
    t,
    JSON.stringify({
      AWS_REGION: 'eu-west-1',
      AWS_PROXY_HOST: '',
      AWS_PROXY_PORT: 0,
      AWS_CONNECTION_TIMEOUT_MS: 10_000_000,
    }),
    {
      HF_LOGLEVEL: 'LOG_DEBUG',
    },
  );
  t.deepEqual(
    off.findings.map(({ path, message }) => `${path} ${message}`),
    ['/AWS_CONNECTION_TIMEOUT_MS becomes 60 s: the range is 1 to 60 s'],
  );
  t.like(off.configuration.providers[0]?.config, { proxy_host: null, proxy_port: null, cloud_connect_timeout: 60 });
  t.is(off.configuration.server.log_level, 'info');
});

test('the time for a machine to become ready is that of every template of the instance', async (t) => {
  const read = async (value: unknown) => {
    const { configuration, findings } = await load(
      t,
      JSON.stringify({ AWS_REGION: 'us-west-2', AWS_INSTANCE_PENDING_TIMEOUT_SEC: value }),
    );
    return [configuration.providers[0]?.template_defaults, findings.map(({ path, message }) => `${path} ${message}`)];
  };
  t.deepEqual(await read(300), [{ ready_timeout: 300 }, []]);
  t.deepEqual(await read('180'), [{ ready_timeout: 180 }, []]);
  t.deepEqual(await read(''), [{}, []]);
  const bounded = 'AWS_INSTANCE_PENDING_TIMEOUT_SEC becomes 60 s: the range is 60 to 36000 s';
  t.deepEqual(await read(5), [{ ready_timeout: 60 }, [`/${bounded}`]]);
  await t.throwsAsync(read('soon'), { message: /AWS_INSTANCE_PENDING_TIMEOUT_SEC|ready_timeout/ });
});

test('a key whose value is false or empty gives no warning; an unknown log level gives one', async (t) => {
  const quiet = await load(
    t,
    '{"AWS_REGION": "us-west-2", "AWS_TAG_InstanceID": false, "AWS_CREDENTIAL_RENEW_MARGIN": "", "LogLevel": ""}',
  );
  t.deepEqual(quiet.findings, []);
  const odd = await load(
    t,
    '{"AWS_REGION": "us-west-2", "LogLevel": "CHATTY", "AWS_PROXY_HOST": "p", "AWS_PROXY_PORT": 0}',
  );
  t.deepEqual(
    [odd.findings.map(({ path }) => path), odd.configuration.server.log_level],
    [['/AWS_PROXY_HOST', '/LogLevel'], 'info'],
  );
});

test('the environment overrides the file, as it overrides any configuration', async (t) => {
  const { configuration } = await load(t, '{"AWS_REGION": "us-west-2"}', {
    MUSTER_CLOUD_REGION: 'us-east-2',
    MUSTER_SERVER_PORT: '9001',
  });
  t.is(configuration.providers[0]?.config['region'], 'us-east-2');
  t.is(configuration.server.port, 9001);
});

test('an unknown key is a warning with its place; errors are reported with the keys of the file', async (t) => {
  const { findings, directory } = await load(t, '{\n"AWS_REGION": "us-west-2",\n"AWS_PROXY_HSOT": "x"\n}');
  t.deepEqual(findings, [
    {
      level: 'warning',
      path: '/AWS_PROXY_HSOT',
      message: "is not a known key and has no effect; did you mean 'AWS_PROXY_HOST'?",
      file: `${directory}/awsprov_config.json:3:1`,
    },
  ]);
  const wrong = async (text: string) => {
    const error = await t.throwsAsync(load(t, text));
    return (error as unknown as { details: { findings: readonly Finding[] } }).details.findings.map(
      ({ message, file }) => `${file?.split('/').at(-1)} ${message}`,
    );
  };
  t.deepEqual(await wrong('{"LogLevel": "INFO"}'), [
    'awsprov_config.json:1:1 is required: the region that provides the machines',
  ]);
  const [place] = await wrong('{"AWS_REGION": "us-west-2",\n "AWS_DESCRIBE_REQUEST_RETRY_ATTEMPTS": 11}');
  t.regex(place ?? '', /^awsprov_config\.json:2:2 /);
});

test('a file of another name is recognised by what it says', async (t) => {
  const { configuration } = await load(t, '{"AWS_REGION": "us-west-2"}', {}, 'west.json');
  t.is(configuration.providers[0]?.config['region'], 'us-west-2');
});
