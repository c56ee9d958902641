import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';

const root = join(import.meta.dirname, '../..');
const launcher = join(root, 'host/bin/muster');

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(file: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(file, args, { env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

test('the launcher runs the sources of the clone, also through links and with any system Node', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'muster-launcher-'));
  t.teardown(() => rm(directory, { recursive: true }));
  await symlink(launcher, join(directory, 'first'));
  await symlink('first', join(directory, 'second'));
  for (const file of [launcher, join(directory, 'second')]) {
    t.deepEqual(await run(file, ['--version'], { PATH: '/usr/bin:/bin' }), { code: 0, stdout: '0.1.0\n', stderr: '' });
  }
});

test('without a fitting Node it says so in one line', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'muster-launcher-'));
  t.teardown(() => rm(directory, { recursive: true }));
  await mkdir(join(directory, 'package/host/bin'), { recursive: true });
  await mkdir(join(directory, 'bin'));
  const copy = join(directory, 'package/host/bin/muster');
  await cp(launcher, copy);
  const node = join(directory, 'bin/node');
  const env = { PATH: `${join(directory, 'bin')}:/usr/bin:/bin` };

  await writeFile(node, '#!/bin/sh\necho v20.20.2\n');
  await chmod(node, 0o755);
  const old = await run(copy, ['--version'], env);
  t.is(old.code, 1);
  t.regex(old.stderr, /^muster needs Node 24 from 24\.12 on, or Node 26 or newer: found v20\.20\.2 .*\n$/);
  t.is(old.stdout, '');

  for (const version of ['v24.12.0', 'v26.0.1']) {
    await writeFile(node, `#!/bin/sh\n[ "$1" = --version ] && { echo ${version}; exit; }\necho "started $*"\n`);
    t.regex((await run(copy, ['a', 'b c'], env)).stdout, /^started .*dist\/host\/main\.js a b c\n$/);
  }
  await writeFile(node, '#!/bin/sh\necho v24.11.9\n');
  t.is((await run(copy, ['--version'], env)).code, 1);
});

test('unknown commands and bad options are usage errors', async (t) => {
  const unknown = await run(launcher, ['sever']);
  t.is(unknown.code, 2);
  t.regex(unknown.stderr, /Did you mean server/);
  t.is((await run(launcher, ['server', 'start', '--foreground', '--port', '70000'])).code, 2);
  t.is((await run(launcher, ['server', 'start', '--foreground', '--config', '/nowhere/muster.yaml'])).code, 3);
});
