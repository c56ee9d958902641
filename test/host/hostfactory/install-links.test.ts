import {
  chmodSync,
  chownSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { install } from '../../../host/hostfactory/install/install.ts';
import { oneOfMany } from '../../support/temporary-directory.ts';
import { foreignUser, withForeignFiles } from '../../support/with-foreign-files.ts';

const names = ['requestMachines', 'getRequestStatus', 'requestReturnMachines', 'getAvailableTemplates'];

/** A directory that is to be written into, and a file elsewhere that nobody wants changed. */
function place() {
  const root = oneOfMany('muster-install-');
  const precious = join(root, 'precious');
  writeFileSync(precious, 'precious', { mode: 0o600 });
  const unchanged = () => readFileSync(precious, 'utf8') === 'precious' && (statSync(precious).mode & 0o777) === 0o600;
  return { root, precious, unchanged, scripts: join(root, 'scripts'), conf: join(root, 'conf') };
}

test('an installation follows no link that has the name of a temporary file, and leaves no temporary file behind', (t) => {
  const { precious, unchanged, scripts, conf } = place();
  mkdirSync(scripts);
  mkdirSync(join(conf, 'providers'), { recursive: true });
  for (const name of names) symlinkSync(precious, join(scripts, `${name}.sh.new`));
  symlinkSync(precious, join(conf, 'providers/hostProviders.json.new'));
  install({ directory: scripts, dialect: 'symphony', name: 'muster', write: conf });
  t.true(unchanged());
  t.deepEqual(readdirSync(join(conf, 'providers')).toSorted(), [
    'hostProviders.json',
    'hostProviders.json.new',
    'muster',
  ]);
  t.is(readdirSync(scripts).filter((name) => !/\.(sh|bat|new)$/.test(name)).length, 0);
});

test('a link in the place of a file is neither read, nor followed, nor replaced', (t) => {
  for (const kind of ['script', 'registration', 'dangling'] as const) {
    const { root, precious, unchanged, scripts, conf } = place();
    mkdirSync(scripts);
    mkdirSync(join(conf, 'providers'), { recursive: true });
    const link = kind === 'script' ? join(scripts, 'getRequestStatus.sh') : join(conf, 'providers/hostProviders.json');
    symlinkSync(kind === 'dangling' ? join(root, 'nowhere') : precious, link);
    t.throws(() => install({ directory: scripts, dialect: 'symphony', name: 'muster', write: conf }), {
      code: 'INVALID_REQUEST',
      message: `${link} is a link or not a regular file, and is not changed. Replace it by a file.`,
    });
    t.true(unchanged());
    t.true(lstatSync(link).isSymbolicLink());
    t.is(readdirSync(root).includes('nowhere'), false);
  }
});

withForeignFiles('an installation by root follows no link of another user in any part of the path', async (t) => {
  for (const part of ['scripts', 'conf', 'conf/providers', 'conf/providers/muster']) {
    const { root, scripts, conf } = place();
    const elsewhere = join(root, 'elsewhere');
    mkdirSync(elsewhere);
    mkdirSync(join(root, part, '..'), { recursive: true });
    const link = join(root, part);
    symlinkSync(elsewhere, link);
    lchownSync(link, foreignUser, foreignUser);
    const installing = () => install({ directory: scripts, dialect: 'symphony', name: 'muster', write: conf });
    t.throws(
      installing,
      { code: 'INVALID_REQUEST', message: new RegExp(`${link} is a link of the user with id ${foreignUser}`) },
      part,
    );
    t.deepEqual(readdirSync(elsewhere), [], part);
    // Root's own links are root's matter.
    lchownSync(link, 0, 0);
    t.notThrows(installing);
  }
});

withForeignFiles('a file of another user that root replaces keeps its owner and its mode', async (t) => {
  const { conf, scripts } = place();
  const file = join(conf, 'providers/hostProviders.json');
  mkdirSync(join(conf, 'providers'), { recursive: true });
  writeFileSync(file, '{"providers": []}');
  chownSync(file, foreignUser, foreignUser);
  chmodSync(file, 0o4640);
  install({ directory: scripts, dialect: 'symphony', name: 'muster', write: conf });
  const { uid, gid, mode } = statSync(file);
  t.deepEqual([uid, gid, mode & 0o7777], [foreignUser, foreignUser, 0o640]);
  t.regex(readFileSync(file, 'utf8'), /"name": "muster"/);
});
