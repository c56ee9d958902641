import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { makePlace } from '../../support/boot-broker.ts';
import { execCli, launcher } from '../../support/run-cli.ts';

const plugins = [join(import.meta.dirname, 'failing-checks.ts'), 'default-format', 'storage-memory'];
const providers = [{ name: 'i', type: 'failing', config: {} }];

async function directoryOf(t: ExecutionContext): Promise<string> {
  const place = await makePlace({ storage: 'memory', configuration: { plugins, providers, server: { port: 0 } } });
  t.teardown(() => place.close());
  return place.directory;
}

test('the doctor shows no secret of the configuration, and each result on one line', async (t) => {
  const cwd = await directoryOf(t);
  for (const more of [[], ['--output', 'json']]) {
    const { code, out, err } = await execCli(['doctor', '--instance', 'i', ...more], { cwd });
    t.is(code, 1, err);
    t.regex(out, /key \*\*\* refused/);
    t.regex(out, /Replace \*\*\*\./);
    t.false(`${out}${err}`.includes('SECRETSECRET1234'));
    t.false(out.includes('\u001b'));
    t.notRegex(out, /^ok +forged/m);
  }
});

test('a check that never ends does not end the doctor', async (t) => {
  const cwd = await directoryOf(t);
  const doctor = spawn(launcher, ['doctor', '--instance', 'i'], { cwd, env: { ...process.env, HANGS: '1' } });
  const ended = once(doctor, 'exit');
  t.teardown(async () => {
    doctor.kill('SIGKILL');
    await ended;
  });
  t.is(await Promise.race([ended, sleep(5_000, 'runs')]), 'runs');
});
