import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import test from 'ava';
import { apiReport } from '../../scripts/pages/api.ts';
import { neededDeclarations } from '../../scripts/drop-declarations.ts';
import { until } from '../crash/support/until.ts';
import { linksOf } from '../docs/links-of.ts';
import { emptyProject, pack, project, run, type Packed } from './packed.ts';

let packed: Packed;
let place: string;
const directory = mkdtempSync(join(tmpdir(), 'muster-pack-'));

// One build for all that is asked of it.
test.before(() => {
  packed = pack(directory);
  place = project(packed);
});
test.after.always(() => {
  for (const each of [directory, place]) if (each) rmSync(each, { recursive: true, force: true });
});

test("the page 'api' is the public surface, so that review sees a change of it: npm run generate -- api", (t) => {
  const { written, made } = apiReport(packed.dist);
  const lines = (text: string, other: string) => {
    const known = new Set(other.split('\n'));
    return text.split('\n').filter((line) => !known.has(line));
  };
  t.deepEqual({ gone: lines(written, made), come: lines(made, written) }, { gone: [], come: [] });
  t.true(written === made, 'The same lines stand in another place.');
});

/** All that a package may hold, and each of it must hold something. */
const known = [
  /^(package\.json|LICENSE|(README|CHANGELOG|CONTRIBUTING)\.md|host\/bin\/(muster|after-install\.cjs))$/,
  /^docs\/([\w-]+|(guides|reference|decisions)\/[\w-]+)\.md$/,
  /^docs\/deploy\/[\w-]+\/([\w-]+\.(yml|yaml|json|conf|service)|Containerfile|muster-as-service)$/,
  /^config\/examples\/(awsprov_)?templates\.json$/,
  /^dist\/(core|config|host|plugins|plugin-testkit)\/.*\.(js|d\.ts)$/,
  /^dist\/host\/cli\/operations\/declared-operations\.json$/,
  /^dist\/host\/rest\/docs\/redoc\.standalone\.js\.LICENSE\.txt$/,
  /^dist\/plugins\/cloud\/catalogue\/[\w-]+\.json$/,
  /^dist\/plugins\/cloud-simulator\/wire\/parameters\/parameter-names\.json$/,
  /^dist\/bundled\/typebox\/([\w-]+\.mjs|files\.json|LICENSE)$/,
  /^dist\/bundled\/program\/(files\.json|LICENSES\.txt|(own|plugins)\/[\w-]+\.mjs)$/,
  /^dist\/bundled\/page\/(index\.html|LICENSES\.txt|main-\w+\.js|page-\w+\.css)$/,
];
/** The pages link to the examples, and `muster plugins create` copies one of them, each with its tests. */
const example = /^docs\/examples\/(?!.*\/(node_modules|dist|data)\/)/;
const isTest = /(^|\/)([^/]*\.test\.|fixtures\/)/;

test('a package holds what is needed and no more', (t) => {
  const paths = packed.files.map(({ path }) => path);
  const stray = paths.filter(
    (path) => !example.test(path) && (isTest.test(path) || !known.some((each) => each.test(path))),
  );
  t.deepEqual(stray, []);
  for (const each of known)
    t.true(
      paths.some((path) => each.test(path)),
      String(each),
    );
  t.true(packed.size < 3_500_000, `${packed.size} bytes packed`);
  const unpacked = packed.files.reduce((sum, { size }) => sum + size, 0);
  t.true(unpacked < 13_500_000, `${unpacked} bytes unpacked`);
});

test('in an empty folder with the package alone, init writes files with which the doctor finds nothing', (t) => {
  const folder = emptyProject(packed, "a person's folder");
  const above = dirname(folder);
  const path = `${join(folder, 'node_modules/.bin')}:${dirname(process.execPath)}:/usr/bin:/bin`;
  const shell = (line: string) => run('sh', ['-c', line], above, { PATH: path, MUSTER_SERVER_PORT: '0' });
  t.teardown(() => {
    process.kill(JSON.parse(readFileSync(join(folder, 'data/simulator.json'), 'utf8')).pid);
    rmSync(above, { recursive: true, force: true });
  });
  const told = shell(`muster init --simulated --yes --directory "a person's folder"`);
  const [next = ''] = /(?<=^Next: ).*/m.exec(told) ?? [];
  t.is(next, `cd 'a person'\\''s folder' && muster doctor`);
  const written = readFileSync(join(folder, 'muster.config.yaml'), 'utf8');
  t.regex(written, /All fields: node_modules\/muster\/docs\/reference\/configuration\.md\. /);
  t.true(existsSync(join(folder, 'node_modules/muster/docs/reference/configuration.md')));
  t.regex(shell(next), /\n\nNothing stands in the way of a request\.\n$/);
});

test('every link of a page in the package leads to a file of the package', (t) => {
  const own = join(place, 'node_modules/muster');
  const pages = packed.files.map(({ path }) => path).filter((path) => path.endsWith('.md'));
  for (const page of ['README.md', 'docs/guides/writing-a-provider.md', 'docs/reference/rest.md'])
    t.true(pages.includes(page), page);
  const dead = pages.flatMap((page) =>
    linksOf(join(own, page))
      .filter((link) => !existsSync(resolve(own, dirname(page), link.replace(/#.*/, ''))))
      .map((link) => `${page}: ${link}`),
  );
  t.deepEqual(dead, []);
});

// Until `build` of package.json has `&& node scripts/drop-declarations.ts` after tsc.
test('of the declarations a package holds those that can be imported, and what they lead to', (t) => {
  const needed = neededDeclarations(join(place, 'node_modules/muster'));
  t.deepEqual(
    packed.files
      .map(({ path }) => path)
      .filter((path) => path.endsWith('.d.ts') && !needed.has(join(place, 'node_modules/muster', path))),
    [],
  );
});

test('every entry point, and the program, is in the package', (t) => {
  const paths = new Set(packed.files.map(({ path }) => path));
  const named = (value: unknown): string[] =>
    typeof value === 'string' ? [value.replace('./', '')] : Object.values(value as object).flatMap(named);
  const { exports, bin } = packed.manifest;
  for (const path of [...named(exports), ...named(bin)]) t.true(paths.has(path), path);
});

/** The page /redoc has its script in the package, and looks for the library only where that is not. */
const elsewhere = /redoc[.-](standalone|bundle)/;
const imports =
  /(?:\bfrom\s*|\bimport\s*\(?\s*|\b(?:require|load|createRequire\([^)]*\))\(\s*)['"]([@\w][^'"\s]*)['"]/g;

test('package.json declares every module that the package imports at run time', (t) => {
  const { dependencies } = packed.manifest;
  const sources = packed.files.filter(
    ({ path }) => /^dist\/(?!bundled).*\.(js|d\.ts)$/.test(path) && !elsewhere.test(path),
  );
  const found = sources.flatMap(({ path }) => {
    const text = readFileSync(join(place, 'node_modules/muster', path), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
    const names = [...text.matchAll(imports)].map(([, name = '']) =>
      name.split('/', name.startsWith('@') ? 2 : 1).join('/'),
    );
    return names.filter((name) => !isBuiltin(name) && name !== 'muster').map((name) => ({ path, name }));
  });
  // However they are imported: as everything, lazily, and without waiting for it.
  for (const some of ['fastify', '@aws-sdk/client-sts', '@aws-sdk/client-ec2', 'yaml'])
    t.true(
      found.some(({ path, name }) => path.endsWith('.js') && name === some),
      some,
    );
  t.deepEqual(
    found.filter(({ name }) => !(name in dependencies)),
    [],
  );
});

test('the three entry points can be imported, and export what the surface says', (t) => {
  const script = `
    const [all, sdk, kit] = await Promise.all(['muster', 'muster/sdk', 'muster/plugin-testkit'].map((name) => import(name)));
    console.log(JSON.stringify({ all: Object.keys(all), sdk: Object.keys(sdk), kit: Object.keys(kit), same: all.createBroker === sdk.createBroker }));
  `;
  const { all, sdk, kit, same } = JSON.parse(run(process.execPath, ['--input-type=module', '-e', script], place));
  t.true(same);
  for (const name of ['definePlugin', 'defineProviderApi', 'Type', 'ProviderFault', 'createBroker', 'connect'])
    t.true(all.includes(name), name);
  const { made } = apiReport(packed.dist);
  for (const name of [...all, ...sdk, ...kit])
    t.regex(made, new RegExp(`^(const|class|function) ${name}\\b|^export \\{ .*\\b${name}\\b`, 'm'), name);
});

test('every entry point says which Node it needs, on another', (t) => {
  const names = Object.keys(packed.manifest.exports).filter((path) => !path.endsWith('.json'));
  for (const name of names.map((path) => path.replace('.', 'muster'))) {
    const script = `
      Object.defineProperty(process, 'version', { value: 'v20.20.2' });
      await import('${name}').then(() => console.log('loaded'), ({ message }) => console.log(message));`;
    t.regex(run(process.execPath, ['--input-type=module', '-e', script], place), /^muster needs Node 24 from/, name);
  }
});

test('what is written against the declarations alone compiles, strictly; so does a package to begin a plugin with', (t) => {
  run('node_modules/.bin/muster', ['plugins', 'create', 'provider', 'blue-moon'], place);
  const options = {
    compilerOptions: {
      target: 'es2024',
      lib: ['es2024', 'esnext.disposable'],
      module: 'nodenext',
      types: ['node'],
      typeRoots: [join(import.meta.dirname, '../../node_modules/@types')],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      verbatimModuleSyntax: true,
      allowImportingTsExtensions: true,
      // What muster declares is checked as well.
      skipLibCheck: false,
      noEmit: true,
    },
    files: ['uses-muster.ts', 'plugins/bench.ts', 'blue-moon/index.ts', 'blue-moon/test/conformance.test.ts'],
  };
  writeFileSync(join(place, 'tsconfig.json'), JSON.stringify(options));
  t.is(run('tsc', ['-p', '.', '--checkers', '1'], place), '');
});

test('the program says its version, and what each plugin of the project brings', (t) => {
  const muster = (...args: string[]) =>
    run('node_modules/.bin/muster', args, place, { MUSTER_DATA_DIR: join(place, 'data') });
  t.is(muster('--version').trim(), packed.manifest.version);
  t.regex(muster('plugins', 'list', '--output', 'json'), /acme-machines.*1\.2\.3/s);
});

test('the conformance kit of the package tests the plugin of another package, with the runner of Node', (t) => {
  const said = run(process.execPath, ['--test', '--test-reporter=tap', 'acme.test.js'], place);
  const count = (what: string) => Number(new RegExp(`^# ${what} (\\d+)$`, 'm').exec(said)?.[1]);
  t.true(count('pass') > 30, said);
  t.is(count('fail'), 0);
  t.true(count('todo') > 5, 'What it cannot produce is not shown as passed.');
});

// Until `files` of package.json has docs/examples/provider-http.
test('the example of a provider passes its tests where muster is a package', (t) => {
  cpSync(join(place, 'node_modules/muster/docs/examples/provider-http'), join(place, 'filled'), { recursive: true });
  t.notThrows(() => run('node_modules/.bin/muster', ['plugins', 'test', 'filled'], place));
});

test('a release cannot be packed without what the build makes, or with an older build', (t) => {
  t.is(packed.manifest.scripts['prepack'], 'npm run build');
});

test('the broker serves requests with plugins of another package and of a TypeScript file, and takes the machines back', async (t) => {
  const broker = spawn('node_modules/.bin/muster', ['server', 'start', '--foreground', '--port', '0'], {
    cwd: place,
    env: { ...process.env, MUSTER_DATA_DIR: join(place, 'data') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [broker.stdout, broker.stderr]) stream.on('data', (chunk) => (said += chunk));
  const ended = new Promise((resolve) => broker.once('exit', (code, signal) => resolve(code ?? signal)));
  t.teardown(async () => {
    broker.kill('SIGKILL');
    await ended;
  });

  const url = await until('the broker listens', () => {
    if (broker.exitCode !== null) throw new Error(`The broker ended with ${broker.exitCode}: ${said}`);
    return /answers at (\S+)/.exec(said)?.[1];
  });
  const call = async (path: string, body?: object): Promise<any> => {
    const post = body && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    return (await fetch(`${url}/api/v1${path}`, { ...post, signal: AbortSignal.timeout(10_000) })).json();
  };
  const done = (request_id: string) => {
    const ended = async () => {
      const request = await call(`/requests/${request_id}/status`);
      return ['completed', 'failed'].includes(request.status) && request;
    };
    return until(`${request_id} ends`, ended, { every_ms: 100 });
  };

  for (const [template_id, machine] of [
    ['packaged', /^r7-/],
    ['by-path', /^b1-c3-/],
  ] as const) {
    const { request_id } = await call('/machines/request', { template_id, machine_count: 2 });
    const request = await done(request_id);
    t.is(request.status, 'completed', `${request.message} ${said}`);
    const machine_ids = request.machines.map((each: any) => each.machine_id);
    t.is(machine_ids.length, 2);
    for (const each of machine_ids) t.regex(each, machine);
    const back = await done((await call('/machines/return', { machine_ids })).request_id);
    t.is(back.status, 'completed', back.message);
  }
  broker.kill('SIGTERM');
  t.is(await ended, 0, said);
});
