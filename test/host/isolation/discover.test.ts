import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { parse } from 'yaml';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { loadConfiguration } from '../../../config/load.ts';
import { readAccountContents } from '../../../core/providers/answer-checks/read-account-contents.ts';
import { init } from '../../../host/init/init.ts';
import { noQuestions } from '../../../host/init/questions.ts';
import { bootBroker } from '../../support/boot-broker.ts';

const plugin = join(import.meta.dirname, 'accounts.ts');
const key = 'a-key-that-nobody-may-see';

async function boot(t: ExecutionContext, ways: readonly string[], storage: 'memory' | 'sqlite' = 'memory') {
  const broker = await bootBroker({
    storage,
    templates: [],
    configuration: {
      plugins: [plugin, 'default-format', `storage-${storage}`],
      providers: ways.map((way) => ({ name: way, type: 'account', config: { key, way } })),
    },
  });
  t.teardown(() => broker.close());
  return (way: string) => broker.call('GET', `/providers/${way}/discover`);
}

test('what is discovered, and why nothing was, shows no secret of the configuration', async (t) => {
  const discover = await boot(t, ['key-in-contents', 'key-in-a-fault', 'key-in-an-error']);
  const found = await discover('key-in-contents');
  t.is(found.status, 200);
  t.is(found.body.networks[0].name, '***');
  for (const way of ['key-in-a-fault', 'key-in-an-error']) {
    const { status, body } = await discover(way);
    t.is(status, 503, way);
    t.regex(JSON.stringify(body), /cannot log in with \*\*\*/, way);
  }
});

test('a list of its own class and a field that changes when it is read are answers or refusals, and end no loop', async (t) => {
  const discover = await boot(t, ['changing-value', 'own-list', 'key-in-contents'], 'sqlite');
  for (const way of ['changing-value', 'own-list']) {
    const { status, body } = await discover(way);
    t.is(status, 200, way);
    t.is(body.networks[0].name, way === 'own-list' ? 'x' : 'fine');
  }
  t.is((await discover('key-in-contents')).status, 200);
});

test('who asks while an account is discovered gets the same answer, and who asks later a new one', async (t) => {
  const discover = await boot(t, ['slow']);
  const together = await Promise.all(Array.from({ length: 5 }, () => discover('slow')));
  for (const { body } of together) t.deepEqual(body, together[0]?.body);
  const later = await discover('slow');
  t.not(later.body.networks[0].name, together[0]?.body.networks[0].name);
});

test('an account may have much, but not more than a caller can take', (t) => {
  const contents = (name: string) => ({
    networks: [],
    subnets: [],
    security_groups: Array.from({ length: 5_000 }, () => ({ id: name, name, network_id: null })),
    key_pairs: [],
    images: [],
    incomplete: [],
  });
  t.is(readAccountContents(contents('x'.repeat(300))).security_groups.length, 5_000);
  t.throws(() => readAccountContents(contents('x'.repeat(500))), {
    message: /at most 4000000 characters in all texts/,
  });
});

test('init sets up an account of a plugin that is not built in, and the files say where the plugin is', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'muster-test-init-'));
  t.teardown(() => rm(directory, { recursive: true }));
  const options = {
    directory,
    provider: 'account',
    config: {},
    simulated: false,
    force: false,
    questions: noQuestions,
    env: {},
    say: () => undefined,
  };
  await t.throwsAsync(init(options), {
    message: /set up the provider type 'account'.*Name the plugin .* --plugins\./,
  });
  t.deepEqual((await init({ ...options, plugins: [plugin] })).template_ids, ['first']);
  const { plugins, providers } = parse(await readFile(join(directory, 'muster.config.yaml'), 'utf8'));
  t.true(plugins.includes('default-format'));
  t.is(plugins.at(-1), plugin);
  t.is(providers[0].type, 'account');
  t.deepEqual((await loadConfiguration({ cwd: directory, env: {} })).findings, []);
});
