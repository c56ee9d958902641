import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';

const launcher = join(import.meta.dirname, '../../host/bin/muster');

const providers = [
  {
    name: 'east',
    type: 'cloud',
    config: { region: 'eu-west-1', secret_access_key: 'hush', secret_acces_key: 'hush' },
  },
];
let directory: string;
test.before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'muster-show-'));
  await writeFile(join(directory, 'muster.config.json'), JSON.stringify({ scheduler: 'hostfactory', providers }));
});
test.after.always(() => rm(directory, { recursive: true, force: true }));

function show(
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const env = { ...process.env, MUSTER_CLOUD_CLOUD_MAX_RETRIES: '7' };
  return new Promise((resolve) => {
    execFile(launcher, ['config', 'show', ...args], { cwd: directory, env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

test('the configuration is printed value by value with where each comes from, and without secrets', async (t) => {
  const { code, stdout, stderr } = await show();
  t.is(code, 0);
  const rows = new Map(stdout.split('\n').map((line) => [line.split(/ {2,}/)[0], line.split(/ {2,}/).slice(1)]));
  t.deepEqual(rows.get('KEY'), ['VALUE', 'ORIGIN']);
  t.deepEqual(rows.get('scheduler'), ['hostfactory', 'file']);
  t.deepEqual(rows.get('providers.0.config.region'), ['eu-west-1', 'file']);
  t.deepEqual(rows.get('providers.0.config.cloud_max_retries'), ['7', 'environment MUSTER_CLOUD_CLOUD_MAX_RETRIES']);
  t.deepEqual(rows.get('providers.0.config.secret_access_key'), ['***', 'file']);
  t.deepEqual(rows.get('server.port'), ['8000', 'default']);
  t.notRegex(stdout + stderr, /hush/);
  t.regex(stderr, /secret_acces_key: unknown field.*did you mean 'secret_access_key'/);
});

test('one section is printed as JSON; a missing key ends with exit code 3', async (t) => {
  const { stdout } = await show('server.rate_limit', '--output', 'json');
  const { configuration, origins } = JSON.parse(stdout) as { configuration: unknown; origins: Record<string, string> };
  t.deepEqual(configuration, {
    enabled: true,
    provider: 100,
    template: 200,
    request: 50,
    validation: 500,
    read: 6000,
  });
  t.is(origins['/server/rate_limit/enabled'], 'default');
  const none = await show('server.prot');
  t.is(none.code, 3);
  t.regex(none.stderr, /nothing at 'server\.prot'/);
});
