import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import test from 'ava';
import { loadConfiguration } from '../../config/load.ts';
import type { LoadOptions } from '../../config/load-options.ts';
import { sampleTemplates } from '../../config/samples.ts';
import { isBrokerError, type BrokerError } from '../../core/contract/errors.ts';
import type { Finding } from '../../core/contract/findings.ts';
import { oneOfMany } from '../support/temporary-directory.ts';

const acme = join(import.meta.dirname, 'fixtures/acme');
const plugins = [acme, 'default-format'];

/** A directory with these files. */
async function directoryWith(files: Readonly<Record<string, string>>): Promise<string> {
  const directory = oneOfMany('muster-config-');
  for (const [name, text] of Object.entries({ 'package.json': '{}', ...files })) {
    await mkdir(dirname(join(directory, name)), { recursive: true });
    await writeFile(join(directory, name), text);
  }
  return directory;
}

const load = (cwd: string, options: Partial<LoadOptions> = {}) => loadConfiguration({ cwd, env: {}, ...options });

async function refused(cwd: string, options: Partial<LoadOptions> = {}): Promise<BrokerError> {
  try {
    await load(cwd, options);
  } catch (error) {
    if (isBrokerError(error)) return error;
    throw error;
  }
  throw new Error('it was not refused');
}
const findingsOf = (error: BrokerError) => error.details['findings'] as readonly Finding[];

test('a named credentials file that does not exist is reported with its place; so is a region close to a known one', async (t) => {
  const config = {
    region: 'us-esat-1',
    credential_file: './nowhere/credentials',
    credential_script: 'script.sh',
    profile: 'x',
  };
  const cwd = await directoryWith({
    'muster.config.json': JSON.stringify({ providers: [{ name: 'east', type: 'cloud', config }] }),
    'script.sh': '',
  });
  const { findings } = await load(cwd);
  t.deepEqual(
    findings.map(({ level, path, message }) => [level, path, message]),
    [
      ['warning', '/providers/0/config/region', "'us-esat-1' is not a known value; did you mean 'us-east-1'?"],
      [
        'warning',
        '/providers/0/config/credential_file',
        `FILE_NOT_FOUND: credential_file ./nowhere/credentials does not exist; looked for as ${cwd}/nowhere/credentials`,
      ],
    ],
  );
  const error = await refused(cwd, { files: 'required' });
  t.is(error.code, 'INVALID_CONFIGURATION');
  t.like(findingsOf(error)[1], { level: 'error', path: '/providers/0/config/credential_file' });
});

const yaml = `# A broker
plugins: ${JSON.stringify(plugins)}
scheduler: plain
storage: { type: box }
providers:
  - name: east
    type: ac
    config: { account: "7", maxRetries: 5, credential_file: secret.ini }
    templateDefaults: { subnetIds: [subnet-1] }
server:
  port: 9000
`;

test('a YAML file is found, merged with defaults and checked with the schemas of its plugins', async (t) => {
  const cwd = await directoryWith({ 'muster.config.yaml': yaml });
  const { configuration, file, findings, plugins: loaded } = await load(cwd);
  t.is(file, join(cwd, 'muster.config.yaml'));
  t.deepEqual(findings, []);
  t.deepEqual(
    loaded.map(({ name }) => name),
    ['acme', 'default-format'],
  );
  t.deepEqual(configuration.plugins, plugins, 'as written, so that a thread can load them again');
  t.deepEqual(configuration.storage, { type: 'box', path: join(cwd, 'data/box.db'), depth: 2 });
  t.deepEqual(configuration.templates, { directory: cwd });
  t.is(configuration.data_directory, join(cwd, 'data'));
  t.is(configuration.server.port, 9000);
  t.deepEqual(configuration.server.rate_limit, {
    enabled: true,
    provider: 100,
    template: 200,
    request: 50,
    validation: 500,
    read: 6000,
  });
  const [east] = configuration.providers;
  t.is(east?.type, 'acme');
  t.deepEqual(east?.template_defaults, { subnet_ids: ['subnet-1'] });
  t.deepEqual(east?.limits, { max_instances_per_request: 1000, max_concurrent_requests: null });
  t.deepEqual(east?.config, {
    account_name: '7',
    max_retries: 5,
    credential_file: join(cwd, 'secret.ini'),
    region: 'here',
    proxy_port: null,
    token: null,
    level: 'low',
    handlers: { fast_boot: true, slow_boot: true },
  });
});

const json = { plugins, scheduler: 'plain', storage: { type: 'box' }, providers: [{ name: 'east', type: 'acme' }] };
const forms: readonly (readonly [string, string])[] = [
  ['muster.config.yaml', JSON.stringify(json)],
  ['muster.config.yml', JSON.stringify(json)],
  ['muster.config.json', JSON.stringify(json)],
  [
    'muster.config.ts',
    `const name: string = 'east';\nexport default ${JSON.stringify(json).replace('"east"', 'name')};\n`,
  ],
  ['muster.config.mjs', `export default async () => (${JSON.stringify(json)});\n`],
  ['muster.config.js', `export default ${JSON.stringify(json)};\n`],
  ['.musterrc', JSON.stringify(json)],
  ['package.json', JSON.stringify({ name: 'x', type: 'module', muster: json })],
];
for (const [name, text] of forms) {
  test(`the configuration may be in ${name}`, async (t) => {
    const cwd = await directoryWith({ 'package.json': '{"type":"module"}', [name]: text });
    const { file, configuration } = await load(cwd);
    t.is(file, join(cwd, name));
    t.is(configuration.providers[0]?.name, 'east');
  });
}

test('a file is found from a directory below it, and its paths stay relative to it', async (t) => {
  const cwd = await directoryWith({ 'muster.config.yaml': yaml, 'deep/down/note.txt': '' });
  t.is((await load(join(cwd, 'deep/down'))).configuration.templates.directory, cwd);
});

test('--config beats MUSTER_CONFIG, which beats the search', async (t) => {
  const cwd = await directoryWith({
    'muster.config.yaml': yaml,
    'a/a.yaml': yaml.replace('9000', '9001'),
    'b/b.json': JSON.stringify({ ...json, server: { port: 9002 } }),
  });
  const port = async (options: Partial<LoadOptions>) => (await load(cwd, options)).configuration.server.port;
  t.is(await port({}), 9000);
  t.is(await port({ env: { MUSTER_CONFIG: 'a/a.yaml' } }), 9001);
  t.is(await port({ env: { MUSTER_CONFIG: 'a/a.yaml' }, file: 'b/b.json' }), 9002);
});

test('the command line overrides the environment, which overrides the file, and each value has its origin', async (t) => {
  const cwd = await directoryWith({ 'muster.config.yaml': yaml });
  const { configuration, origins } = await load(cwd, {
    env: {
      MUSTER_SERVER_PORT: '9001',
      MUSTER_SERVER_HOST: '::1',
      MUSTER_ACME_REGION: 'there',
      MUSTER_STORAGE_DEPTH: '4',
      MUSTER_ACME_MAX_RETRIES: '9',
    },
    overrides: { server: { port: 9002, logLevel: 'debug' } },
  });
  t.deepEqual(
    [configuration.server.port, configuration.server.host, configuration.server.log_level],
    [9002, '::1', 'debug'],
  );
  t.deepEqual(
    [configuration.providers[0]?.config['region'], configuration.providers[0]?.config['max_retries']],
    ['there', 9],
  );
  t.is(configuration.storage['depth'], 4);
  t.deepEqual(origins.get('/server/port'), { origin: 'command line' });
  t.deepEqual(origins.get('/server/host'), { origin: 'environment', variable: 'MUSTER_SERVER_HOST' });
  t.deepEqual(origins.get('/providers/0/config/region'), { origin: 'environment', variable: 'MUSTER_ACME_REGION' });
  t.deepEqual(origins.get('/providers/0/config/account_name'), { origin: 'file' });
  t.deepEqual(origins.get('/scheduler'), { origin: 'file' });
  t.deepEqual(origins.get('/server/workers'), { origin: 'default' });
  t.deepEqual(origins.get('/storage/depth'), { origin: 'environment', variable: 'MUSTER_STORAGE_DEPTH' });
});

test('an override of a provider type holds for every instance of it', async (t) => {
  const providers = ['east', 'west'].map((name) => ({
    name,
    type: 'acme',
    config: { region: name, handlers: { slow_boot: false } },
  }));
  const cwd = await directoryWith({ 'muster.config.json': JSON.stringify({ ...json, providers }) });
  const { configuration } = await load(cwd, { env: { MUSTER_ACME_HANDLERS__FAST_BOOT: 'false' } });
  t.deepEqual(
    configuration.providers.map(({ config }) => [config['region'], config['handlers']]),
    [
      ['east', { fast_boot: false, slow_boot: false }],
      ['west', { fast_boot: false, slow_boot: false }],
    ],
  );
});

test('MUSTER_DATA_DIR moves the contents of ./data, and nothing else', async (t) => {
  const cwd = await directoryWith({
    'muster.config.json': JSON.stringify({ ...json, templates: { directory: './mine' } }),
  });
  const { configuration, origins } = await load(cwd, { env: { MUSTER_DATA_DIR: '/var/lib/muster' } });
  t.is(configuration.data_directory, '/var/lib/muster');
  t.is(configuration.storage['path'], '/var/lib/muster/box.db');
  t.is(configuration.templates.directory, join(cwd, 'mine'));
  t.deepEqual(origins.get('/data_directory'), { origin: 'environment', variable: 'MUSTER_DATA_DIR' });
});

test('paths of the environment and the command line are relative to the working directory', async (t) => {
  const cwd = await directoryWith({ 'conf/muster.yaml': yaml });
  const { configuration } = await load(cwd, {
    file: 'conf/muster.yaml',
    env: { MUSTER_STORAGE_PATH: 'here.db' },
    overrides: { templates: { directory: 'there' } },
  });
  t.is(configuration.storage['path'], join(cwd, 'here.db'));
  t.is(configuration.templates.directory, join(cwd, 'there'));
});

test('without any file the broker runs on sample templates; a provider type that is not loaded is left out', async (t) => {
  const cwd = await directoryWith({});
  const env = { MUSTER_PLUGINS: plugins.join(','), MUSTER_STORAGE_TYPE: 'box' };
  const { configuration, file, findings } = await load(cwd, { env });
  t.is(file, undefined);
  t.is(configuration.templates.directory, sampleTemplates);
  t.deepEqual(configuration.providers, []);
  t.deepEqual(
    findings.map(({ path, level }) => [path, level]),
    [['/providers', 'warning']],
  );
});

test('an object in an environment variable overrides the file in any spelling, and its errors name the variable', async (t) => {
  const providers = [{ name: 'east', type: 'acme', config: { handlers: { fast_boot: true } } }];
  const server = { rate_limit: { enabled: true, provider: 7 } };
  const cwd = await directoryWith({ 'muster.config.json': JSON.stringify({ ...json, providers, server }) });
  const env = { MUSTER_ACME_HANDLERS: '{"fastBoot":false}', MUSTER_SERVER: '{"rateLimit":{"enabled":false}}' };
  const { configuration, origins } = await load(cwd, { env });
  t.like(configuration.providers[0]?.config['handlers'], { fast_boot: false });
  t.like(configuration.server.rate_limit, { enabled: false, provider: 7 });
  t.deepEqual(origins.get('/server/rate_limit/enabled'), { origin: 'environment', variable: 'MUSTER_SERVER' });
  const wrong = await refused(cwd, {
    env: { MUSTER_PROVIDERS: '{"name":"x"}', MUSTER_SERVER: '{"rateLimit":{"Enabled":true}}' },
  });
  t.deepEqual(
    findingsOf(wrong)
      .filter(({ level }) => level === 'error')
      .map(({ path, file }) => [path, file]),
    [
      ['/providers', 'environment variable MUSTER_PROVIDERS'],
      ['/server/rate_limit/Enabled', 'environment variable MUSTER_SERVER'],
    ],
  );
});

test('a bad file is refused with every finding, each with its place', async (t) => {
  const cwd = await directoryWith({
    'muster.config.yaml': `plugins: ${JSON.stringify(plugins)}
schedular: plain
scheduler: slurm
storage:
  type: box
  dept: 3
server:
  port: 70000
  workers: two
  rate_limit: { enabled: true, provider: 0 }
providers:
  - name: east
    type: acme
    wieght: 3
    config:
      maxRetries: 11
      handlers: { fast_boot: maybe }
      regoin: x
  - name: east
    type: acme
  - name: north
    type: acne
  - type: acme
    template_defaults: { subnet_ids: subnet-1, boot_mode: slowly }
  - east
`,
  });
  const error = await refused(cwd);
  t.is(error.code, 'INVALID_CONFIGURATION');
  const file = join(cwd, 'muster.config.yaml');
  const told = findingsOf(error).map(({ level, path, file: place, message }) => [
    level,
    place?.replace(`${file}:`, ''),
    path,
    message,
  ]);
  t.deepEqual(
    told.toSorted(
      (a, b) => Number(a[1]?.split(':')[0]) - Number(b[1]?.split(':')[0]) || (String(a[2]) < String(b[2]) ? -1 : 1),
    ),
    [
      ['error', '2:1', '/schedular', "unknown field; did you mean 'scheduler'?"],
      [
        'error',
        '3:1',
        '/scheduler',
        "no loaded plugin contributes the scheduler strategy 'slurm'; known: plain, default",
      ],
      ['error', '6:3', '/storage/dept', "unknown field; did you mean 'depth'?"],
      ['error', '8:3', '/server/port', 'must be <= 65535'],
      ['error', '9:3', '/server/workers', 'must be an integer, not a string'],
      ['error', '10:32', '/server/rate_limit/provider', 'must be >= 1'],
      ['error', '14:5', '/providers/0/wieght', "unknown field; did you mean 'weight'?"],
      ['error', '16:7', '/providers/0/config/max_retries', 'must be <= 10'],
      ['error', '17:19', '/providers/0/config/handlers/fast_boot', 'must be a boolean, not a string'],
      ['warning', '18:7', '/providers/0/config/regoin', "unknown field, kept as it is; did you mean 'region'?"],
      ['error', '19:5', '/providers/1/name', "'east' is already the name of /providers/0"],
      [
        'error',
        '22:5',
        '/providers/2/type',
        "no loaded plugin contributes the provider type 'acne'; did you mean 'acme'?",
      ],
      ['error', '23:5', '/providers/3/name', 'is required'],
      ['error', '24:48', '/providers/3/template_defaults/boot_mode', 'must match pattern "^(fast|slow)$"'],
      ['error', '24:26', '/providers/3/template_defaults/subnet_ids', 'must be an array, not a string'],
      ['error', '25:5', '/providers/4', 'must be an object, not a string'],
    ],
  );
  for (const path of ['/schedular', '/providers/4'])
    t.true(error.message.includes(path), 'the sentence names every error');
});

const bad: readonly (readonly [string, string, Partial<LoadOptions>, RegExp])[] = [
  [
    'an unknown storage',
    JSON.stringify({ ...json, storage: { type: 'bux' } }),
    {},
    /^\S+:1:\d+ \/storage\/type: no loaded plugin contributes the storage 'bux'; did you mean 'box'\?$/,
  ],
  [
    'a storage that a built-in plugin would bring',
    JSON.stringify({ ...json, storage: { type: 'memory' } }),
    {},
    /^\S+:1:\d+ \/storage\/type: no loaded plugin contributes the storage 'memory'; add 'storage-memory' to plugins$/,
  ],
  [
    'a scheduler that a built-in plugin would bring',
    JSON.stringify({ ...json, scheduler: 'lsf' }),
    {},
    /^\S+:1:\d+ \/scheduler: no loaded plugin contributes the scheduler strategy 'lsf'; add 'hostfactory-format' to plugins$/,
  ],
  ['a list', '[1]', {}, /^\S+:1:1: must be an object with the sections of a configuration$/],
  [
    'plugins that are no list',
    JSON.stringify({ ...json, plugins: 'acme' }),
    {},
    /^\S+:1:2 \/plugins: must be an array, not a string$/,
  ],
  [
    'a plugin that is not there',
    JSON.stringify({ ...json, plugins: [...plugins, 'gone'] }),
    {},
    /^\S+:1:\d+ \/plugins\/2: Plugin 'gone' was not found\./,
  ],
  [
    'two spellings',
    JSON.stringify({ ...json, server: { logLevel: 'info', log_level: 'debug' } }),
    {},
    /\/server\/logLevel: 'logLevel' and 'log_level' are the same field/,
  ],
  [
    'two spellings of a plugin field',
    JSON.stringify({ ...json, providers: [{ name: 'e', type: 'ac', config: { account: 'a', account_name: 'b' } }] }),
    {},
    /\/providers\/0\/config\/account: 'account' and 'account_name'/,
  ],
  [
    'a variable of the wrong type',
    JSON.stringify(json),
    { env: { MUSTER_SERVER_PORT: 'http' } },
    /^environment variable MUSTER_SERVER_PORT \/server\/port: should be a valid integer$/,
  ],
  [
    'a variable out of bounds',
    JSON.stringify(json),
    { env: { MUSTER_SERVER_PORT: '70000' } },
    /^environment variable MUSTER_SERVER_PORT \/server\/port: must be <= 65535$/,
  ],
  [
    'a provider variable out of bounds',
    JSON.stringify(json),
    { env: { MUSTER_ACME_MAX_RETRIES: '11' } },
    /^environment variable MUSTER_ACME_MAX_RETRIES \/providers\/0\/config\/max_retries: must be <= 10$/,
  ],
  [
    'a command line option',
    JSON.stringify(json),
    { overrides: { server: { port: -1 } } },
    /^command line \/server\/port: must be >= 0$/,
  ],
];
for (const [title, text, options, sentence] of bad) {
  test(`the place of an error is reported: ${title}`, async (t) => {
    const error = await refused(await directoryWith({ 'muster.config.json': text }), options);
    t.is(error.code, 'INVALID_CONFIGURATION');
    const told = findingsOf(error).map(({ file, path, message }) =>
      [[file, path].filter(Boolean).join(' '), message].join(': '),
    );
    t.true(
      told.some((each) => sentence.test(each)),
      told.join('\n'),
    );
  });
}

test('a variable that nothing reads is a warning with the nearest name', async (t) => {
  const cwd = await directoryWith({ 'muster.config.json': JSON.stringify(json) });
  const { findings } = await load(cwd, {
    env: { MUSTER_SERVER_PROT: '1', MUSTER_SCHEDULR: 'x', MUSTER_ACME_REGOIN: 'y', HOME: '/root' },
  });
  t.deepEqual(
    findings.map(({ level, file, message }) => [level, file, message]),
    [
      [
        'warning',
        'environment variable MUSTER_SERVER_PROT',
        'no field has this name; did you mean MUSTER_SERVER_PORT?',
      ],
      [
        'warning',
        'environment variable MUSTER_SCHEDULR',
        "no setting has this name; did you mean 'MUSTER_SCHEDULER'?",
      ],
      [
        'warning',
        'environment variable MUSTER_ACME_REGOIN',
        'no field has this name; did you mean MUSTER_ACME_REGION?',
      ],
    ],
  );
});

test('a named file that does not exist is FILE_NOT_FOUND', async (t) => {
  const cwd = await directoryWith({});
  const error = await refused(cwd, { file: 'gone.yaml' });
  t.is(error.code, 'FILE_NOT_FOUND');
  t.is(error.message, `The configuration file ${join(cwd, 'gone.yaml')} does not exist.`);
});

const unreadable: readonly (readonly [string, string, number, number | undefined, RegExp])[] = [
  ['muster.config.json', '{\n  "scheduler": "default",\n}', 3, 1, /Expected double-quoted property name/],
  ['muster.config.json', '{\n  "scheduler": "default"\n', 3, 1, /^unexpected end of the file$/],
  ['muster.config.yaml', 'server:\n  port: 1\n port: 2\n', 3, 1, /./],
  ['.musterrc', 'server: {port: 1\n', 2, 1, /./],
  ['muster.config.ts', 'export default {\n  scheduler: ,\n};\n', 2, undefined, /./],
];
for (const [name, text, line, column, reason] of unreadable) {
  test(`a file that cannot be parsed is PARSE_ERROR with its line: ${name} ${JSON.stringify(text)}`, async (t) => {
    const cwd = await directoryWith({ [name]: text });
    const error = await refused(cwd);
    t.is(error.code, 'PARSE_ERROR');
    t.is(error.details['file'], join(cwd, name));
    t.is(error.details['line'], line);
    if (column !== undefined) t.is(error.details['column'], column);
    t.regex(String(error.details['reason']), reason);
    t.true(error.message.startsWith(join(cwd, name)));
  });
}

test('an empty file is a configuration that says nothing', async (t) => {
  const cwd = await directoryWith({ 'muster.config.yaml': '# nothing yet\n' });
  const { configuration, file } = await load(cwd, {
    env: { MUSTER_PLUGINS: plugins.join(','), MUSTER_STORAGE_TYPE: 'box' },
  });
  t.is(file, join(cwd, 'muster.config.yaml'));
  t.is(configuration.templates.directory, cwd);
});

test('a data directory in the file is reported at its place', async (t) => {
  for (const field of ['data_directory', 'dataDirectory', 'data_dir']) {
    const directory = await directoryWith({
      'muster.config.yaml': `plugins: ${JSON.stringify(plugins)}\n${field}: /srv/data\n`,
    });
    const [finding] = findingsOf(await refused(directory)).filter(({ level }) => level === 'error');
    t.regex(
      finding?.message ?? '',
      /^unknown field; the environment variable MUSTER_DATA_DIR sets the data directory/,
    );
    t.regex(finding?.file ?? '', /muster\.config\.yaml:2:1/);
  }
});
