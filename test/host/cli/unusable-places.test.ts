import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { asNobody, testAsNobody } from '../../support/as-nobody.ts';
import { makePlace } from '../../support/boot-broker.ts';
import { execCli, launcher } from '../../support/run-cli.ts';

/** A place that others may read, with the command line as one of them has it. */
async function readable(t: ExecutionContext) {
  const place = await makePlace({ configuration: { server: { port: 0 } } });
  t.teardown(() => place.close());
  chmodSync(place.directory, 0o755);
  const muster = (...args: readonly string[]) =>
    asNobody(launcher, args, { cwd: place.directory, env: { PATH: '/usr/bin:/bin' } });
  return { data: join(place.directory, 'data'), directory: place.directory, muster };
}

const isSentence = (
  t: ExecutionContext,
  { code, out, err }: { code: number; out: string; err: string },
  said: RegExp,
) => {
  t.is(code, 4, err);
  t.is(out, '');
  t.regex(err, said);
  t.regex(err, /^muster: .*\n$/, 'one sentence, and no stack');
};

testAsNobody('a data directory that cannot be created, read or written is reported with the remedy', async (t) => {
  const { data, muster } = await readable(t);
  isSentence(
    t,
    await muster('server', 'start'),
    /data directory .*data cannot be created \(EACCES\)\. Set MUSTER_DATA_DIR/,
  );
  mkdirSync(data);
  for (const args of [
    ['templates', 'delete', 'small'],
    ['server', 'start'],
    ['requests', 'create', 'small', '1', '--no-server'],
  ])
    isSentence(t, await muster(...args), /cannot be (used|opened): .*(EACCES|unable to open).* (Change|or set)/);
  t.is((await muster('templates', 'list')).code, 0, 'who only looks needs no file of its own');
  chmodSync(data, 0o700);
  isSentence(t, await muster('templates', 'list'), /belongs to another user: call it with --url/);
  // Whether a server runs in a directory that may not be looked into, nobody can say.
  for (const args of [
    ['server', 'status'],
    ['server', 'stop'],
  ])
    isSentence(t, await muster(...args), /belongs to another user: call it with --url/);
});

test('a file in the place of the data directory and an unusable log are reported too', async (t) => {
  const { data, directory } = await readable(t);
  writeFileSync(data, '');
  isSentence(
    t,
    await execCli(['server', 'start'], { cwd: directory }),
    /data directory .*data cannot be used: ENOTDIR/,
  );
  isSentence(t, await execCli(['templates', 'list'], { cwd: directory }), /muster\.db cannot be made: EEXIST/);
  rmSync(data);
  mkdirSync(join(data, 'server.log'), { recursive: true });
  isSentence(
    t,
    await execCli(['server', 'start'], { cwd: directory }),
    /cannot write its log .*server\.log \(EISDIR\)\. Change the permissions, or set MUSTER_DATA_DIR/,
  );
});

test('a working directory that was deleted is reported in one sentence, by every command that needs it', async (t) => {
  const { directory } = await readable(t);
  const env: NodeJS.ProcessEnv = { ...process.env, HOME: directory };
  delete env['MUSTER_DATA_DIR'];
  const muster = (...args: readonly string[]) =>
    new Promise<{ code: number; out: string; err: string }>((resolve) => {
      const gone = join(directory, `gone-${args.join('-').replaceAll('/', '')}`);
      mkdirSync(gone);
      // The shell of the launcher may report the directory too.
      const script = 'cd "$1" && rmdir "$1" && shift && exec "$@"';
      execFile('sh', ['-c', script, 'sh', gone, launcher, ...args], { env }, (error, out, err) =>
        resolve({ code: error ? Number(error.code) : 0, out, err: err.replaceAll(/^sh: .*\n/gm, '') }),
      );
    });
  const all = [['doctor'], ['requests', 'list'], ['init', '--yes'], ['config', 'validate'], ['server', 'stop']];
  for (const args of all)
    isSentence(t, await muster(...args), /working directory .* does not exist any more.* Change to a directory/);
});
