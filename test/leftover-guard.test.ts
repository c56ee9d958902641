import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { until } from './support/boot-broker.ts';

const guard = JSON.stringify(join(import.meta.dirname, 'support/leftover-guard.ts'));

/** A run of tests that does this. */
const run = (does: string) =>
  new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const script = `import { spawn } from 'node:child_process'; import { mkdirSync } from 'node:fs';
      const { ownTemporaryDirectories } = await import(${guard});
      const env = { ...process.env, ...ownTemporaryDirectories() };
      console.log(env.TMPDIR);
      ${does}`;
    execFile(process.execPath, ['--input-type=module', '-e', script], (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out: out.trim(), err }),
    );
  });

test('a run that leaves nothing behind is left as it is', async (t) => {
  const { code, out, err } = await run('');
  t.deepEqual([code, err], [0, '']);
  t.false(existsSync(out));
});

test('a run that leaves a directory behind fails, names it and removes it', async (t) => {
  for (const place of ['TMPDIR', 'TEST_MEMORY']) {
    const { code, out, err } = await run(`mkdirSync(env.${place} + '/forgotten');`);
    t.is(code, 1);
    t.regex(err, /left something behind:\n {2}\S+\/forgotten\n/);
    t.false(existsSync(out));
  }
});

test('a run that leaves a process behind fails, names it and ends it', async (t) => {
  if (!existsSync('/proc/self/environ')) return t.pass('this system does not list processes');
  const { code, err } = await run(`
    const child = spawn('sleep', ['1000'], { env, detached: true, stdio: 'ignore' });
    await new Promise((resolve) => child.once('spawn', resolve));
    child.unref();
    console.log(child.pid);`);
  t.is(code, 1);
  const [, pid] = /process (\d+): sleep 1000/.exec(err) ?? [];
  // Its entry may stay until somebody asks how it ended.
  const command = () => (existsSync(`/proc/${pid}/cmdline`) ? readFileSync(`/proc/${pid}/cmdline`, 'utf8') : '');
  await until(async () => command() === '');
  t.true(Number(pid) > 0);
});

test('a run that ends well and one that failed keep their code', async (t) => {
  const { code } = await run(`mkdirSync(env.TMPDIR + '/forgotten'); process.exit(3);`);
  t.is(code, 3);
});
