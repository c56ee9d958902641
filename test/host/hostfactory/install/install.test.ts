import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { registrations, withEntry } from '../../../../host/hostfactory/install/registration.ts';
import { scriptFiles } from '../../../../host/hostfactory/client/script-texts.ts';
import { ended } from '../support.ts';

const launcher = join(import.meta.dirname, '../../../../host/bin/muster');
const names = [
  'getAvailableMachines',
  'getAvailableTemplates',
  'getRequestStatus',
  'getReturnRequests',
  'requestMachines',
  'requestReturnMachines',
];

async function directory(t: ExecutionContext): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'muster-install-'));
  t.teardown(() => rm(made, { recursive: true }));
  return made;
}

const muster = (...args: readonly string[]) => ended(launcher, ['hostfactory', 'install', ...args], process.env);

test('the scripts are written straight into the directory, and what registers them is said', async (t) => {
  const made = join(await directory(t), "it's new");
  const { code, stdout, stderr } = await muster('--dir', made, '--name', 'aws-east');
  t.deepEqual([code, stderr], [0, '']);
  t.deepEqual(
    (await readdir(made)).toSorted(),
    names.flatMap((name) => [`${name}.bat`, `${name}.sh`]),
  );
  for (const name of names) t.is((await stat(join(made, `${name}.sh`))).mode & 0o777, 0o755);
  t.regex(
    await readFile(join(made, 'requestMachines.sh'), 'utf8'),
    /^#!\/bin\/sh\n.*\nmuster='\/.*\/host\/bin\/muster'\n.*\nexec "\$muster" hostfactory requestMachines --dialect symphony "\$@"\n$/,
  );
  const batch = await readFile(join(made, 'requestMachines.bat'), 'utf8');
  t.regex(
    batch,
    /\r\n"\/.*\/node" "\/.*\/host\/main\.ts" hostfactory requestMachines --dialect symphony %\*\r\n/,
    'by its path, wherever it is made',
  );
  t.notRegex(batch, /call muster/);
  const [providers, plugins] = stdout
    .split('\n\n')
    .slice(1)
    .map((part) => JSON.parse(part.slice(part.indexOf('{'))));
  t.deepEqual(providers, {
    version: 2,
    providers: [
      {
        name: 'aws-east',
        enabled: 1,
        plugin: 'aws-east',
        confPath: '${HF_CONFDIR}/providers/aws-east/',
        workPath: '${HF_WORKDIR}/providers/aws-east/',
        logPath: '${HF_LOGDIR}/',
      },
    ],
  });
  t.deepEqual(plugins, { version: 2, providerplugins: [{ name: 'aws-east', enabled: 1, scriptPath: `${made}/` }] });
  const script = await ended(join(made, 'getAvailableTemplates.sh'), [], { PATH: process.env['PATH'] });
  t.deepEqual(
    [script.code, Object.keys(script.answer)],
    [1, ['message']],
    'it reaches the program, which finds no configuration',
  );
});

test('a batch file hands its arguments on and ends with the exit code, its lines as Windows wants them', (t) => {
  const program = {
    launcher: '/opt/muster',
    windows: ['C:\\Program Files (x86)\\node.exe', 'C:\\100%\\main.js'],
  } as const;
  const lines = scriptFiles(program, 'lsf')
    .find(({ name }) => name === 'getRequestStatus.bat')
    ?.content.split('\r\n');
  t.deepEqual(lines, [
    '@echo off',
    'rem Made by `muster hostfactory install`.',
    'if not exist "C:\\100%%\\main.js" (echo {"message":"muster is not there any more. Install it again, then the scripts with: muster hostfactory install"}& exit /b 1)',
    '"C:\\Program Files (x86)\\node.exe" "C:\\100%%\\main.js" hostfactory getRequestStatus --dialect lsf %*',
    'if not %ERRORLEVEL%==0 exit /b 1',
    'exit /b 0',
    '',
  ]);
});

test('a script needs nothing but its shell, names the Node that wrote it, and says in JSON when muster or Node is gone', async (t) => {
  const made = join(await directory(t), 'a dir');
  await mkdir(join(made, 'host/bin'), { recursive: true });
  const copy = join(made, "host/bin/mu'ster");
  const script = join(made, 'getAvailableTemplates.sh');
  const write = async (node?: string) => {
    const windows = ['node.exe', 'main.js'] as const;
    const files = scriptFiles({ launcher: copy, windows, ...(node === undefined ? {} : { node }) }, 'symphony');
    await writeFile(script, files.find(({ name }) => name === 'getAvailableTemplates.sh')?.content ?? '', {
      mode: 0o755,
    });
  };
  await write();
  const gone = await ended(script, [], {});
  t.deepEqual([gone.code, gone.stderr], [1, '']);
  t.regex(gone.answer.message, /a dir\/host\/bin\/mu'ster is not there any more\. Install muster again/);
  await cp(launcher, copy);
  const without = await ended(script, [], { PATH: '/nowhere' });
  t.is(without.code, 1);
  t.regex(without.answer.message, /^muster needs Node 24\.12 or newer: found none on the PATH/);
  const node = join(made, 'node');
  await writeFile(node, '#!/bin/sh\nfor each; do last=$each; done\necho "{\\"ran\\": \\"$last\\"}"\n', {
    mode: 0o755,
  });
  await write(node);
  t.like(await ended(script, ['-f', 'the input'], { PATH: '/nowhere' }), { code: 0, answer: { ran: 'the input' } });
});

test('with --write the scheduler’s files get our entry, once, and keep all others', async (t) => {
  const root = await directory(t);
  const conf = join(root, 'conf');
  await mkdir(join(conf, 'providers'), { recursive: true });
  const other = { name: 'other', enabled: 0, plugin: 'x' };
  await writeFile(
    join(conf, 'providers/hostProviders.json'),
    JSON.stringify({ version: 2, note: 'ours', providers: [{ name: 'muster', enabled: 0, more: 1 }, other] }),
  );
  await chmod(join(conf, 'providers/hostProviders.json'), 0o640);
  for (let times = 0; times < 2; times++)
    t.is((await muster('--dir', join(root, 'scripts'), '--write', conf)).code, 0);
  const providers = JSON.parse(await readFile(join(conf, 'providers/hostProviders.json'), 'utf8'));
  t.is(providers.note, 'ours');
  t.is(
    (await stat(join(conf, 'providers/hostProviders.json'))).mode & 0o777,
    0o640,
    'nor does who may read it change',
  );
  t.like(providers.providers[0], { name: 'muster', enabled: 1, more: 1, plugin: 'muster' });
  t.deepEqual(providers.providers.slice(1), [other]);
  const plugins = JSON.parse(await readFile(join(conf, 'providerplugins/hostProviderPlugins.json'), 'utf8'));
  t.is(plugins.providerplugins.length, 1);
  t.true(
    (await stat(join(conf, 'providers/muster'))).isDirectory(),
    'a scheduler passes over a provider without its directory',
  );
});

test('for LSF there is one file, with paths below its own configuration', (t) => {
  const [only, ...more] = registrations({ dialect: 'lsf', name: 'aws', scripts: '/opt/scripts' });
  t.deepEqual(more, []);
  t.deepEqual(withEntry(undefined, only!), {
    providers: [{ name: 'aws', type: 'awsProv', confPath: 'resource_connector/aws', scriptPath: '/opt/scripts' }],
  });
});

test('what cannot be installed is said in a sentence, and nothing is written', async (t) => {
  const root = await directory(t);
  const conf = join(root, 'conf');
  await mkdir(join(conf, 'providers'), { recursive: true });
  for (const [text, message] of [
    ['{"providers": [', /hostProviders\.json cannot be read/],
    ['{"providers": {}}', /hostProviders\.json has no list 'providers'/],
  ] as const) {
    await writeFile(join(conf, 'providers/hostProviders.json'), text);
    const { code, stderr } = await muster('--dir', join(root, 'scripts'), '--write', conf);
    t.is(code, 4);
    t.regex(stderr, message);
  }
  t.deepEqual(await readdir(root), ['conf']);
  t.is((await muster('--dir', join(root, 'scripts'), '--name', 'not allowed')).code, 4);
  t.is((await muster('--dir', join(root, 'scripts'), '--dialect', 'slurm')).code, 2);
  t.is((await muster()).code, 2);
});
