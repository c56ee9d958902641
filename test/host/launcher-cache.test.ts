import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { oneOfMany } from '../support/temporary-directory.ts';
import { foreignUser, withForeignFiles } from '../support/with-foreign-files.ts';

const launcher = join(import.meta.dirname, '../../host/bin/muster');

type Variables = Readonly<Record<string, string>>;

const run = (file: string, args: readonly string[], env: Variables): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile(file, args, { env: { PATH: '/usr/bin:/bin', ...env } }, (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    );
  });

/** The launcher in a package of its own, with a Node that says which cache it was given. */
function place() {
  const directory = oneOfMany('muster-launcher-');
  const bin = join(directory, 'package/host/bin');
  mkdirSync(bin, { recursive: true });
  cpSync(launcher, join(bin, 'muster'));
  mkdirSync(join(directory, 'bin'));
  const script =
    '[ "$1" = --version ] && { echo v24.12.0; exit; }\necho "$NODE_COMPILE_CACHE|$NODE_DISABLE_COMPILE_CACHE"';
  writeFileSync(join(directory, 'bin/node'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const home = join(directory, 'home');
  mkdirSync(home);
  const cacheWith = async (env: Variables) => {
    const [cache, disabled] = (
      await run(join(bin, 'muster'), [], { PATH: `${join(directory, 'bin')}:/usr/bin:/bin`, ...env })
    )
      .trim()
      .split('|');
    return cache === '' ? `none, and ${disabled === '1' ? 'no other' : 'perhaps another'}` : cache;
  };
  return { directory, home, cacheWith };
}

const none = 'none, and no other';

test("compiled code is kept below the user's own cache directory, for this user alone", async (t) => {
  const { directory, home, cacheWith } = place();
  t.is(await cacheWith({ HOME: home }), join(home, '.cache/muster/compile'));
  for (const each of ['.cache', '.cache/muster', '.cache/muster/compile'])
    t.is(statSync(join(home, each)).mode & 0o777, 0o700, each);
  mkdirSync(join(directory, 'xdg'));
  t.is(await cacheWith({ HOME: home, XDG_CACHE_HOME: join(directory, 'xdg') }), join(directory, 'xdg/muster/compile'));
  t.is(
    await cacheWith({ MUSTER_DATA_DIR: directory }),
    join(directory, 'compile'),
    'without a home, below the data directory',
  );
  t.is(await cacheWith({}), none);
  t.is(await cacheWith({ HOME: join(directory, 'nowhere'), MUSTER_DATA_DIR: join(directory, 'not-yet') }), none);
  t.false(existsSync(join(directory, 'not-yet')), 'no data directory is made for it');
});

test('there is no cache in a directory that others may write, or behind a link', async (t) => {
  for (const open of ['.', '.cache', '.cache/muster', '.cache/muster/compile'])
    for (const mode of [0o770, 0o707]) {
      const { home, cacheWith } = place();
      mkdirSync(join(home, '.cache/muster/compile'), { recursive: true, mode: 0o700 });
      chmodSync(join(home, open), mode);
      t.is(await cacheWith({ HOME: home }), none, `${open} ${mode.toString(8)}`);
    }
  const readable = place();
  mkdirSync(join(readable.home, '.cache/muster/compile'), { recursive: true });
  chmodSync(join(readable.home, '.cache/muster/compile'), 0o755);
  t.is(await readable.cacheWith({ HOME: readable.home }), none, 'it is for the user alone');
  for (const link of ['.cache', '.cache/muster', '.cache/muster/compile']) {
    const { directory, home, cacheWith } = place();
    mkdirSync(join(directory, 'elsewhere/muster/compile'), { recursive: true, mode: 0o700 });
    mkdirSync(join(home, link, '..'), { recursive: true });
    symlinkSync(join(directory, 'elsewhere'), join(home, link));
    t.is(await cacheWith({ HOME: home }), none, link);
  }
  const named = place();
  mkdirSync(join(named.directory, 'named'), { mode: 0o755 });
  t.is(await named.cacheWith({ NODE_COMPILE_CACHE: join(named.directory, 'named') }), join(named.directory, 'named'));
  chmodSync(join(named.directory, 'named'), 0o777);
  t.is(await named.cacheWith({ HOME: named.home, NODE_COMPILE_CACHE: join(named.directory, 'named') }), none);
});

withForeignFiles('there is no cache in a directory of another user', async (t) => {
  for (const foreign of ['.', '.cache', '.cache/muster', '.cache/muster/compile']) {
    const { home, cacheWith } = place();
    mkdirSync(join(home, '.cache/muster/compile'), { recursive: true, mode: 0o700 });
    chownSync(join(home, foreign), foreignUser, foreignUser);
    t.is(await cacheWith({ HOME: home }), none, foreign);
  }
  const { directory, home, cacheWith } = place();
  mkdirSync(join(directory, 'named'));
  chownSync(join(directory, 'named'), foreignUser, foreignUser);
  t.is(await cacheWith({ HOME: home, NODE_COMPILE_CACHE: join(directory, 'named') }), none);
});

withForeignFiles('a cache of another user in the temporary directory is neither read nor written', async (t) => {
  const shared = oneOfMany('muster-shared-');
  chmodSync(shared, 0o1777);
  const planted = join(shared, 'node-compile-cache');
  mkdirSync(planted);
  chownSync(planted, foreignUser, foreignUser);
  const home = oneOfMany('muster-home-');
  t.is(await run(launcher, ['--version'], { TMPDIR: shared, HOME: home }), '0.1.0\n');
  t.deepEqual(readdirSync(planted), []);
  t.true(
    readdirSync(join(home, '.cache/muster/compile')).some((name) => name.startsWith('v')),
    'it has one of its own',
  );
  // Started without the launcher, too.
  const main = join(import.meta.dirname, '../../host/main.ts');
  t.is(await run(process.execPath, [main, '--version'], { TMPDIR: shared }), '0.1.0\n');
  t.deepEqual(readdirSync(planted), []);
});
