import { mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { parse } from 'yaml';
import { loadConfiguration } from '../../../config/load.ts';
import { init, type InitOptions } from '../../../host/init/init.ts';
import { noQuestions, questionsFor, QuestionsEnded, type Questions } from '../../../host/init/questions.ts';
import { region } from '../../../plugins/cloud/catalogue/index.ts';
import { startSimulator } from '../../../plugins/cloud-simulator/server/start-simulator.ts';
import { bootBroker } from '../../support/boot-broker.ts';

// The SDK reads the keys of the environment of this process.
process.env['AWS_ACCESS_KEY_ID'] = 'AKIAINIT';
process.env['AWS_SECRET_ACCESS_KEY'] = 'a-secret-of-init';
process.env['AWS_EC2_METADATA_DISABLED'] = 'true';

interface Stand {
  readonly directory: string;
  readonly said: string[];
  readonly simulator: Awaited<ReturnType<typeof startSimulator>>;
  init(more?: Partial<InitOptions>): ReturnType<typeof init>;
  files(): Promise<string[]>;
}

async function stand(t: ExecutionContext, knobs: object = {}): Promise<Stand> {
  const directory = await mkdtemp(join(tmpdir(), 'muster-test-init-'));
  const simulator = await startSimulator({ knobs: { boot_ms: 50, ...knobs } });
  t.teardown(async () => {
    await simulator.close();
    await rm(directory, { recursive: true, force: true });
  });
  const said: string[] = [];
  const options = {
    directory,
    config: { region: 'us-east-1' },
    simulated: false,
    endpoint_url: simulator.url,
    force: false,
    questions: noQuestions,
    env: {},
    say: (text: string) => void said.push(text),
  };
  return {
    directory,
    said,
    simulator,
    init: (more) => init({ ...options, ...more }),
    files: async () => (await readdir(directory)).toSorted(),
  };
}

const templatesIn = async (directory: string): Promise<Record<string, any>[]> =>
  parse(await readFile(join(directory, 'templates.yaml'), 'utf8')).templates;

test('init writes a configuration and templates with which each template starts a machine', async (t) => {
  const { directory, init: run, simulator } = await stand(t, { strict_ids: true, parameters: imagesOf });
  const { template_ids } = await run();
  t.deepEqual(template_ids, ['one-machine', 'fleet', 'spot-with-fallback']);
  const { findings } = await loadConfiguration({ cwd: directory, env: {} });
  t.deepEqual(findings, []);
  for (const name of ['muster.config.yaml', 'templates.yaml']) {
    const page = /All fields: (.*\.md)\. /.exec(await readFile(join(directory, name), 'utf8'))?.[1] ?? '';
    t.true((await stat(resolve(directory, page))).isFile(), 'the page lies where the file says');
  }
  const place = { directory, simulator, close: async () => undefined };
  const { call, until, close } = await bootBroker({ place });
  t.teardown(close);
  for (const template_id of template_ids) {
    const { body } = await call('POST', '/machines/request', { template_id, machine_count: 1 });
    const ended = await until(async () => {
      const { body: status } = await call('GET', `/requests/${body.request_id}/status`);
      return /completed|failed/.test(status.status) && status;
    });
    t.is(ended.status, 'completed', JSON.stringify(ended));
  }
});

/** The parameters of the proposed images, with images that the simulated cloud has. */
const imagesOf = {
  '/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64':
    region('us-east-1')?.images.find(({ arch }) => arch === 'x86_64')?.image_id ?? '',
};

test('with two VPCs the default one is proposed, and --network takes the other without its full subnets', async (t) => {
  const subnets = [
    { subnet_id: 'subnet-full', zone: 'us-east-1a' },
    { subnet_id: 'subnet-open', zone: 'us-east-1b' },
  ];
  const security_groups = [{ group_id: 'sg-lab', group_name: 'default' }];
  const knobs = {
    vpcs: [{ vpc_id: 'vpc-lab', name: 'lab', subnets, security_groups }],
    addresses: [{ subnet_id: 'subnet-full', count: 0 }],
    key_pairs: ['ops'],
  };
  const { directory, init: run, said } = await stand(t, knobs);
  await run({ network: 'lab', key_pair: 'ops' });
  for (const template of await templatesIn(directory)) {
    t.deepEqual(template['subnet_ids'], ['subnet-open']);
    t.deepEqual(template['security_group_ids'], ['sg-lab']);
    t.is(template['key_name'], 'ops');
  }
  t.true(said.includes('The templates leave out subnet-full: it has no free address.\n'));
  await run({ force: true });
  t.false((await templatesIn(directory))[0]?.['subnet_ids'].includes('subnet-open'));
});

test('answers of a person decide: network, image and key pair', async (t) => {
  const { directory, init: run } = await stand(t, { key_pairs: ['ops'] });
  const asked: string[] = [];
  const questions: Questions = {
    async text(message) {
      asked.push(message);
      return message.startsWith('Region') ? 'us-east-1' : '';
    },
    async choose(message, choices, fallback) {
      asked.push(message);
      return choices.at(message.startsWith('Image') ? 1 : -1)?.value ?? fallback;
    },
  };
  await run({ questions, config: {} });
  t.deepEqual(asked, [
    'Region:',
    'Profile of the shared configuration and credentials files (empty: none):',
    'Network of the machines:',
    'Image of the machines:',
    'Key pair for SSH:',
  ]);
  const [one] = await templatesIn(directory);
  t.is(one?.['machine_type'], 't4g.medium');
  t.is(one?.['key_name'], 'ops');
});

const refusals: readonly (readonly [string, object, Partial<InitOptions>, RegExp])[] = [
  ['keys that AWS refuses', { auth: { known_keys: [] } }, {}, /AWS refused the credentials of 'us-east-1'.*--profile/],
  ['expired keys', { auth: { expired: [{}] } }, {}, /credentials of 'us-east-1'.*[Ee]xpired/],
  ['a region that is nearly one', {}, { config: { region: 'us-esat-1' } }, /^--region: .*did you mean 'us-east-1'\?$/],
  [
    'a profile that no file has',
    {},
    { config: { region: 'us-east-1', profile: 'nope' } },
    /The profile 'nope' does not exist in .*credentials.* or in .*config.*\. (There are|They have no profiles)/,
  ],
  ['a profile for the simulated cloud', {}, { simulated: true, config: { profile: 'x' } }, /^Give either --simulated/],
  ['an account without any VPC', { default_vpc: false }, {}, /^There is no network at 'us-east-1'\. Create a VPC/],
  ['a VPC without subnets', { default_vpc: false, vpcs: [{ vpc_id: 'vpc-1' }] }, {}, /have no subnets: vpc-1\./],
  [
    'a network that is not there',
    {},
    { network: 'lab' },
    /^There is no network 'lab' at 'us-east-1'\. There are: vpc-/,
  ],
  ['a key pair that is not there', {}, { key_pair: 'x' }, /^There is no key pair 'x'\. There are: default\.$/],
  [
    'subnets that may not be read',
    { auth: { denied: [{ action: 'DescribeSubnets' }] } },
    {},
    /^The subnets at 'us-east-1' cannot be read\. The permission ec2:DescribeSubnets is missing/,
  ],
  [
    'images that may not be read',
    { auth: { denied: [{ action: 'GetParameters' }] } },
    {},
    /^No image can be proposed\. The permission ssm:GetParameters is missing\..* Name one with --image\.$/,
  ],
  ['a provider type that is unknown', {}, { provider: 'nimbus' }, /set up the provider type 'nimbus'/],
  [
    'a cloud that is not there',
    {},
    { endpoint_url: 'http://127.0.0.1:9' },
    /ECONNREFUSED.* Check the name of the region, the endpoint/,
  ],
];
for (const [what, knobs, options, sentence] of refusals)
  test(`${what}: a sentence, and nothing is written`, async (t) => {
    const { init: run, files } = await stand(t, knobs);
    const { message } = (await t.throwsAsync(run(options))) as Error;
    t.regex(message, sentence);
    t.false(message.includes('a-secret-of-init'));
    t.deepEqual(await files(), []);
  });

test('a full account is refused, and its subnets are named', async (t) => {
  const knobs = {
    default_vpc: false,
    vpcs: [{ vpc_id: 'vpc-1', subnets: [{ subnet_id: 'subnet-1', zone: 'us-east-1a' }] }],
    addresses: [{ subnet_id: 'subnet-1', count: 0 }],
  };
  const { init: run } = await stand(t, knobs);
  await t.throwsAsync(run(), { message: /^No subnet at 'us-east-1' has a free address: subnet-1 \(us-east-1a\)\./ });
  await t.throwsAsync(run({ network: 'vpc-1' }), { message: /^The network vpc-1 has no subnet with a free address/ });
});

for (const name of ['muster.config.yaml', 'templates.yaml', 'templates.json', 'muster.config.json'])
  test(`a directory with ${name} is left as it is without --force`, async (t) => {
    const { directory, init: run, files } = await stand(t);
    await writeFile(join(directory, name), '{}');
    await t.throwsAsync(run(), { code: 'ALREADY_EXISTS', message: new RegExp(`${name}.*--force`) });
    t.deepEqual(await files(), [name]);
    t.is(await readFile(join(directory, name), 'utf8'), '{}');
  });

test('a link that leads nowhere counts as a file, and is left as it is without --force', async (t) => {
  const { directory, init: run, files } = await stand(t);
  await symlink('/nowhere', join(directory, 'muster.config.yaml'));
  await t.throwsAsync(run(), { code: 'ALREADY_EXISTS', message: /muster\.config\.yaml exists already/ });
  t.deepEqual(await files(), ['muster.config.yaml']);
  t.is(await readlink(join(directory, 'muster.config.yaml')), '/nowhere');
});

test('--force replaces a link, and not the file that it leads to', async (t) => {
  const { directory, init: run } = await stand(t);
  const elsewhere = join(directory, 'elsewhere');
  await writeFile(elsewhere, 'mine');
  await symlink(elsewhere, join(directory, 'muster.config.yaml'));
  await run({ force: true });
  t.is(await readFile(elsewhere, 'utf8'), 'mine');
  t.is((await stat(join(directory, 'muster.config.yaml'))).mode & 0o777, 0o600);
});

test('when --force cannot replace one file, the other is as it was before', async (t) => {
  const { directory, init: run, files } = await stand(t);
  await writeFile(join(directory, 'templates.yaml'), 'mine');
  await mkdir(join(directory, 'muster.config.yaml'));
  await t.throwsAsync(run({ force: true }), { code: 'ALREADY_EXISTS', message: /is a directory/ });
  t.deepEqual(await files(), ['muster.config.yaml', 'templates.yaml']);
  t.is(await readFile(join(directory, 'templates.yaml'), 'utf8'), 'mine');
});

test('a directory that cannot be written is a sentence', async (t) => {
  const { directory, init: run, files } = await stand(t);
  await writeFile(join(directory, 'file'), '');
  const below = join(directory, 'file/below');
  await t.throwsAsync(run({ directory: below }), {
    code: 'INVALID_REQUEST',
    message: /^Nothing was written: .*file\/below cannot be written \(ENOTDIR\)/,
  });
  t.deepEqual(await files(), ['file']);
});

test('a file that appears while the questions are asked is not replaced, and the other is not written', async (t) => {
  const { directory, init: run, files } = await stand(t);
  const questions: Questions = {
    ...noQuestions,
    async choose(_message, _choices, fallback) {
      await writeFile(join(directory, 'muster.config.yaml'), 'mine');
      return fallback;
    },
  };
  await t.throwsAsync(run({ questions }), { code: 'ALREADY_EXISTS' });
  t.deepEqual(await files(), ['muster.config.yaml']);
  t.is(await readFile(join(directory, 'muster.config.yaml'), 'utf8'), 'mine');
});

test('a person who ends the questions leaves nothing behind', async (t) => {
  const { init: run, files } = await stand(t);
  const questions = { ...noQuestions, choose: () => Promise.reject(new QuestionsEnded('')) };
  await t.throwsAsync(run({ questions }), { instanceOf: QuestionsEnded });
  t.deepEqual(await files(), []);
});

test('without a terminal and without --yes the options are named', (t) => {
  t.throws(() => questionsFor(false, false), { message: /--yes/ });
});
