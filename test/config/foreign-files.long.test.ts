import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { loadConfiguration } from '../../config/load.ts';
import { loadPlugins } from '../../config/plugins/load-plugins.ts';
import { configurationDirectory, searchPlaces } from '../../config/sources/search-places.ts';
import { whyUntrusted } from '../../config/checks/why-untrusted.ts';
import { asNobody } from '../support/as-nobody.ts';
import { isReachable } from '../support/reachable.ts';
import { launcher } from '../support/run-cli.ts';
import { oneOfMany } from '../support/temporary-directory.ts';
import { foreignUser, withForeignCaller, withForeignFiles } from '../support/with-foreign-files.ts';

/** Directories of tests can be entered by others, as a shared one. */
function place(): string {
  const directory = oneOfMany('muster-foreign-');
  for (const each of [dirname(directory), directory]) chmodSync(each, 0o755);
  return directory;
}

function put(file: string, text: string, mode = 0o644): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

/** A module that leaves a trace when it runs. */
const leaves = (trace: string) =>
  `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(trace)}, '');\nexport default {};\n`;
const empty = (name: string) =>
  name === 'package.json' ? '{"muster": {}}' : name.endsWith('js') || name.endsWith('ts') ? 'export default {}' : '{}';
const load = (cwd: string, file?: string) =>
  loadConfiguration({ cwd, env: {}, ...(file === undefined ? {} : { file }) });

test('the search for a configuration ends at a directory that others may write: their file is not executed, and a warning names it', async (t) => {
  for (const mode of [0o1777, 0o1757, 0o777, 0o757]) {
    const shared = place();
    const project = join(shared, 'mine/deep');
    mkdirSync(project, { recursive: true });
    chmodSync(shared, mode);
    const trace = join(shared, 'ran');
    const planted = put(join(shared, 'muster.config.mjs'), leaves(trace));
    const { file, findings } = await load(project);
    t.is(file, undefined);
    t.false(existsSync(trace));
    const told = findings.map(({ message }) => message).find((message) => message.startsWith(planted)) ?? '';
    t.true(
      told.includes(
        `is not used: ${shared} can be written by others (mode ${mode.toString(8)}). Pass it with --config`,
      ),
      told,
    );
    t.is(configurationDirectory(project), project);
    put(join(shared, 'mine/muster.config.yaml'), '');
    t.is((await load(project)).file, join(shared, 'mine/muster.config.yaml'), 'what lies below is ours');
  }
});

test('a configuration in a working directory that others may write is refused with the reason, and is used if it is named explicitly', async (t) => {
  for (const name of searchPlaces) {
    const shared = place();
    const file = put(join(shared, name), empty(name));
    chmodSync(shared, 0o777);
    await t.throwsAsync(load(shared), { message: /is not used: .* can be written by others/ }, name);
    if (/\.(ts|mjs|js)$/.test(name))
      await t.throwsAsync(load(shared, file), { message: /A program runs only when no user except you and root/ });
    else t.is((await load(shared, file)).file, file);
  }
});

test('a configuration that others may write is not used when it is found; a program is refused even if it is named explicitly', async (t) => {
  for (const name of searchPlaces) {
    const directory = place();
    const file = put(join(directory, name), empty(name), 0o666);
    await t.throwsAsync(load(directory), {
      message: new RegExp(`${name} is not used: .*${name} can be written by others \\(mode 666\\)`),
    });
    if (/\.(ts|mjs|js)$/.test(name)) await t.throwsAsync(load('/', file), { message: /can be written by others/ });
    else t.is((await load('/', file)).file, file);
    chmodSync(file, 0o644);
    t.is((await load(directory)).file, file);
  }
});

test('below a directory that only its owner can enter, files may have any mode', async (t) => {
  const directory = place();
  chmodSync(directory, 0o700);
  const file = put(join(directory, 'project/muster.config.json'), '{}', 0o666);
  chmodSync(dirname(file), 0o777);
  t.is((await load(dirname(file))).file, file);
});

test('a link is followed, and its target must pass the same checks', async (t) => {
  const directory = place();
  mkdirSync(join(directory, 'project'));
  const target = put(join(directory, 'open/real.mjs'), 'export default {}');
  const link = join(directory, 'project/muster.config.mjs');
  symlinkSync(target, link);
  t.is((await load(join(directory, 'project'))).file, link);
  chmodSync(join(directory, 'open'), 0o777);
  await t.throwsAsync(load(join(directory, 'project')), { message: /open can be written by others/ });
});

withForeignFiles('a configuration of another user is not used, of any kind and in any place', async (t) => {
  for (const name of searchPlaces)
    for (const foreign of ['file', 'directory'] as const) {
      const directory = place();
      const file = put(join(directory, name), empty(name));
      chownSync(foreign === 'file' ? file : directory, foreignUser, foreignUser);
      await t.throwsAsync(load(directory), { message: /is not used: .* belongs to the user / }, `${name} ${foreign}`);
      t.regex(whyUntrusted(file) ?? '', /belongs to the user nobody/);
    }
  const directory = place();
  const trace = join(directory, 'ran');
  const program = put(join(directory, 'theirs.mjs'), leaves(trace));
  chownSync(program, foreignUser, foreignUser);
  await t.throwsAsync(load('/', program), { message: /theirs\.mjs is not used: .* belongs to the user nobody/ });
  symlinkSync(program, join(directory, 'muster.config.mjs'));
  await t.throwsAsync(load(directory), { message: /theirs\.mjs belongs to the user nobody/ });
  const link = join(directory, 'muster.config.json');
  symlinkSync(put(join(directory, 'ours.json'), '{}'), link);
  lchownSync(link, foreignUser, foreignUser);
  await t.throwsAsync(
    load(directory),
    { message: /muster\.config\.json belongs to the user nobody/ },
    'the link is theirs',
  );
  t.false(existsSync(trace));
});

withForeignFiles(
  "nothing below a directory of another user is used, not even the caller's own files: that user may replace them",
  async (t) => {
    const directory = place();
    const file = put(join(directory, 'theirs/mine/muster.config.json'), '{}');
    chownSync(join(directory, 'theirs'), foreignUser, foreignUser);
    await t.throwsAsync(load(dirname(file)), { message: /theirs belongs to the user nobody/ });
    t.is(configurationDirectory(dirname(file)), dirname(file));
    t.is((await load('/', file)).file, file, 'unless it is named');
  },
);

withForeignCaller("every user can use a configuration of root, and the user's own", async (t) => {
  const directory = place();
  put(
    join(directory, 'muster.config.json'),
    JSON.stringify({ plugins: ['default-format'], storage: { type: 'none' }, scheduler: 'nope' }),
  );
  const show = () => asNobody(launcher, ['config', 'validate'], { cwd: directory, env: { PATH: '/usr/bin:/bin' } });
  t.regex((await show()).out, /nope/, 'it was read');
  const theirs = join(directory, 'theirs');
  put(
    join(theirs, 'muster.config.json'),
    JSON.stringify({ plugins: ['default-format'], storage: { type: 'none' }, scheduler: 'theirs' }),
  );
  for (const each of [theirs, join(theirs, 'muster.config.json')]) chownSync(each, foreignUser, foreignUser);
  const own = await asNobody(launcher, ['config', 'validate'], { cwd: theirs, env: { PATH: '/usr/bin:/bin' } });
  t.regex(own.out, /'theirs'|theirs/);
});

withForeignFiles(
  'a group with one user has the rights of that user; any other group counts as other users',
  async (t) => {
    const [name = '', , id = '', group = ''] =
      readFileSync('/etc/passwd', 'utf8')
        .split('\n')
        .map((line) => line.split(':'))
        .find(([user]) => user === 'daemon') ?? [];
    if (id !== group) {
      t.pass(`the system has no group of the user ${name} alone`);
      return;
    }
    if (!isReachable) {
      t.pass('other users cannot enter the directory of the project');
      return;
    }
    const whyOf = (file: string) =>
      new Promise<string>((resolve, reject) => {
        const module = join(import.meta.dirname, '../../config/checks/why-untrusted.ts');
        const script = `const { whyUntrusted } = await import(${JSON.stringify(module)}); console.log(whyUntrusted(${JSON.stringify(file)}) ?? 'own')`;
        const user = { uid: Number(id), gid: Number(group), env: {} };
        execFile(process.execPath, ['--input-type=module', '-e', script], user, (error, out) =>
          error ? reject(error) : resolve(out.trim()),
        );
      });
    const file = put(join(place(), 'muster.config.json'), '{}', 0o664);
    chownSync(file, Number(id), Number(group));
    t.is(await whyOf(file), 'own');
    chownSync(file, Number(id), 0);
    t.regex(await whyOf(file), /can be written by others \(mode 664\)/);
  },
);

const plugin = (trace: string) =>
  `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(trace)}, '');\nexport default { [Symbol.for('muster.plugin')]: true, name: 'acme', contract: 1 };\n`;

test('a plugin is not loaded from a package or path in a directory that others may write', async (t) => {
  const shared = place();
  const project = join(shared, 'project');
  mkdirSync(project);
  const trace = join(shared, 'ran');
  put(join(shared, 'node_modules/acme/package.json'), '{"name": "acme", "type": "module", "exports": "./index.js"}');
  const file = put(join(shared, 'node_modules/acme/index.js'), plugin(trace));
  chmodSync(join(shared, 'node_modules/acme'), 0o777);
  await t.throwsAsync(loadPlugins(['acme'], { cwd: project }), {
    message: /Plugin 'acme' .* is not loaded: .*acme can be written by others/,
  });
  await t.throwsAsync(loadPlugins([file], { cwd: project }), {
    message: /is not loaded: .*acme can be written by others/,
  });
  t.false(existsSync(trace));
  chmodSync(join(shared, 'node_modules/acme'), 0o755);
  t.is((await loadPlugins(['acme'], { cwd: project })).length, 1);
  t.true(existsSync(trace));
});

withForeignFiles('a plugin is not loaded from a package of another user above the project', async (t) => {
  const shared = place();
  const project = join(shared, 'project');
  mkdirSync(project);
  const trace = join(shared, 'ran');
  put(join(shared, 'node_modules/acme/package.json'), '{"name": "acme", "type": "module", "exports": "./index.js"}');
  put(join(shared, 'node_modules/acme/index.js'), plugin(trace));
  for (const theirs of ['', 'acme', 'acme/index.js']) {
    chownSync(join(shared, 'node_modules', theirs), foreignUser, foreignUser);
    await t.throwsAsync(
      loadPlugins(['acme'], { cwd: project }),
      { message: /is not loaded: .* belongs to the user nobody/ },
      theirs,
    );
    chownSync(join(shared, 'node_modules', theirs), 0, 0);
  }
  t.false(existsSync(trace));
});

/** A configuration whose instance gets its credentials from a program. */
function withScript(directory: string, script: string): string {
  const config = { credential_script: script };
  return put(
    join(directory, 'muster.config.json'),
    JSON.stringify({ providers: [{ name: 'east', type: 'cloud', config }] }),
  );
}

test('a program that prints credentials is not executed if others may write the file or its directory', async (t) => {
  const directory = place();
  const script = put(join(directory, 'bin/credentials.sh'), '#!/bin/sh', 0o755);
  withScript(directory, 'bin/credentials.sh');
  t.deepEqual(
    (await load(directory)).findings.filter(({ path }) => path.endsWith('credential_script')),
    [],
  );
  chmodSync(script, 0o777);
  await t.throwsAsync(load(directory), {
    message: /credential_script .*credentials\.sh is not run: .* can be written by others/,
  });
  chmodSync(script, 0o755);
  chmodSync(dirname(script), 0o777);
  await t.throwsAsync(load(directory), { message: /is not run: .*bin can be written by others/ });
  chmodSync(directory, 0o777);
  t.truthy(
    await load('/', join(directory, 'muster.config.json')),
    'who names a configuration of others means what it says',
  );
});

withForeignFiles(
  'a program of another user that prints credentials is not executed, directly or through a link of that user',
  async (t) => {
    const directory = place();
    const script = put(join(directory, 'credentials.sh'), '#!/bin/sh', 0o755);
    symlinkSync(script, join(directory, 'link.sh'));
    for (const [name, whose] of [
      ['credentials.sh', script],
      ['link.sh', join(directory, 'link.sh')],
    ] as const) {
      withScript(directory, name);
      lchownSync(whose, foreignUser, foreignUser);
      await t.throwsAsync(load(directory), { message: /is not run: .* belongs to the user nobody/ }, name);
      lchownSync(whose, 0, 0);
      t.truthy(await load(directory), name);
    }
  },
);

test('the start during an install uses no file near the temporary directory and no variable of the environment', async (t) => {
  const shared = place();
  const trace = join(shared, 'ran');
  put(join(shared, 'muster.config.mjs'), leaves(trace));
  const named = put(join(shared, 'own/named.mjs'), leaves(trace));
  const script = join(import.meta.dirname, '../../scripts/warm-start.ts');
  const env = { ...process.env, TMPDIR: shared, MUSTER_CONFIG: named, MUSTER_PLUGINS: named };
  await new Promise<void>((resolve) => void execFile(process.execPath, [script], { env }, () => resolve()));
  t.false(existsSync(trace));
});

test('the search library loads no configuration of its own: no file in `.config` of the working directory is executed or read', async (t) => {
  const shared = place();
  const trace = join(shared, 'ran');
  for (const name of ['js', 'cjs', 'mjs', 'ts']) {
    const directory = join(shared, name);
    const text = name === 'cjs' ? `require('node:fs').writeFileSync(${JSON.stringify(trace)}, '')` : leaves(trace);
    put(join(directory, '.config', `config.${name}`), text);
    await show(directory);
    t.false(existsSync(trace), name);
  }
  const other = put(join(shared, 'elsewhere.json'), '{"scheduler": "elsewhere"}');
  for (const name of ['.config/config.json', 'package.json']) {
    const directory = join(shared, name.replace('/', '-'));
    const told = { searchPlaces: [other], $import: other };
    put(
      join(directory, name),
      JSON.stringify(name === 'package.json' ? { cosmiconfig: told } : { cosmiconfig: told, ...told, muster: {} }),
    );
    t.notRegex(await show(directory), /elsewhere/, name);
  }
});

/** What a start in a directory would run by. */
const show = (cwd: string): Promise<string> =>
  new Promise((resolve) =>
    execFile(launcher, ['config', 'show'], { cwd, env: { PATH: process.env['PATH'] } }, (_, out, err) =>
      resolve(out + err),
    ),
  );
