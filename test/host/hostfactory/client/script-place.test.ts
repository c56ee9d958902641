import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { readInput } from '../../../../host/hostfactory/client/script-input.ts';
import { scriptPlace } from '../../../../host/hostfactory/client/script-place.ts';

const root = await mkdtemp(join(tmpdir(), 'muster-script-place-'));
const at = (...names: string[]) => join(root, ...names);
for (const file of [
  'mine/muster.config.yaml',
  'mine/awsprov_config.json',
  'aws/awsprov_config.json',
  'hf/providers/inst/muster.config.json',
  'pro/conf/awsprov_config.json',
]) {
  await mkdir(at(file, '..'), { recursive: true });
  await writeFile(at(file), '{}');
}
test.after.always(() => rm(root, { recursive: true }));

const cases: readonly (readonly [
  what: string,
  env: Record<string, string>,
  configuration: string | undefined,
  data: string,
])[] = [
  ['our file before theirs', { HF_PROVIDER_CONFDIR: at('mine') }, at('mine/muster.config.yaml'), at('mine/data')],
  ['theirs where ours is not', { HF_PROVIDER_CONFDIR: at('aws') }, at('aws/awsprov_config.json'), at('aws/data')],
  [
    'a named file before all',
    { HF_PROVIDER_CONFDIR: at('mine'), MUSTER_CONFIG: at('x.yaml') },
    at('x.yaml'),
    at('data'),
  ],
  [
    'the work directory',
    { HF_PROVIDER_CONFDIR: at('aws'), HF_PROVIDER_WORKDIR: at('work') },
    at('aws/awsprov_config.json'),
    at('work'),
  ],
  [
    'our own data directory before it',
    { HF_PROVIDER_CONFDIR: at('aws'), HF_PROVIDER_WORKDIR: at('work'), MUSTER_DATA_DIR: at('ours') },
    at('aws/awsprov_config.json'),
    at('ours'),
  ],
  [
    'what HostFactory means without saying it',
    { HF_PROVIDER_NAME: 'inst', HF_CONFDIR: at('hf'), HF_WORKDIR: at('hfwork') },
    at('hf/providers/inst/muster.config.json'),
    at('hfwork/providers/inst'),
  ],
  [
    'LSF, whose data directory is for all providers',
    { PROVIDER_NAME: 'aws', PRO_CONF_DIR: at('pro'), PRO_DATA_DIR: at('lsf') },
    at('pro/conf/awsprov_config.json'),
    at('lsf/aws'),
  ],
  ['a running server needs no configuration', { HF_PROVIDER_WORKDIR: at('work') }, undefined, at('work')],
];
for (const [what, env, configuration, data_directory] of cases) {
  test(`where a script looks: ${what}`, (t) => {
    const place = scriptPlace(env);
    t.deepEqual([place.configuration, place.data_directory], [configuration, data_directory]);
  });
}

test('with nothing named there is nowhere to look, and no sample is served', (t) => {
  t.throws(() => scriptPlace({ HF_PROVIDER_CONFDIR: at('none') }), {
    message: /^muster has no configuration: none of muster\.config\.yaml, .* is in .*none\./,
  });
});

const read = (argv: readonly string[], env = {}) => {
  const { script, body } = readInput(argv, env);
  return { script, ...JSON.parse(body) };
};

test('a call of a scheduler is read, also after options of other runtimes', async (t) => {
  const file = at('hf_in_tvXQSo');
  await writeFile(file, '\uFEFF{"requests": [{"requestId": "r"}]}');
  const wanted = {
    script: 'getRequestStatus',
    input: { requests: [{ requestId: 'r' }] },
    env: { dialect: 'symphony' },
  };
  t.deepEqual(read(['getRequestStatus', '-f', file]), wanted);
  t.deepEqual(
    read(['getRequestStatus', '--dialect', 'lsf', '-Dhttp.proxyHost=p', '-f', file], { PROVIDER_NAME: 'aws' }),
    {
      ...wanted,
      env: { dialect: 'lsf', provider_name: 'aws' },
    },
  );
  t.is(read(['getRequestStatus', '-f', file], { HF_PROVIDER_NAME: 'a', PROVIDER_NAME: 'b' }).env.provider_name, 'a');
  t.deepEqual(read(['getAvailableTemplates']).input, {});
});

for (const [argv, message] of [
  [['requestMachines'], /Pass one: requestMachines -f FILE/],
  [['requestMachines', '-f', at('none')], /none cannot be read \(ENOENT\)/],
  [['getRequestStatus', '--dialect', 'slurm'], /no dialect 'slurm'; there are symphony and lsf/],
  [['requestThings', '-f', at('none')], /no script 'requestThings'/],
] as const) {
  test(`a call that cannot be read is reported: ${argv.join(' ').replace(root, '')}`, (t) =>
    void t.throws(() => readInput(argv, {}), { message }));
}
