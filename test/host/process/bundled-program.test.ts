import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import test from 'ava';
import { bundledFiles } from '../../../host/process/bundled-program.ts';
import { startBroker, until } from '../../support/boot-broker.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = join(import.meta.dirname, '../../..');
const urlOf = (path: string) => JSON.stringify(pathToFileURL(join(root, path)).href);

test.before('the sources are bundled as they are', () => {
  execFileSync(process.execPath, [join(root, 'scripts/bundle-program.ts')]);
});

/** What `code` prints as JSON in a process that loads as ours do. `loaded`: the files of muster that it has loaded. */
function inOurProcess<T>(code: string, { bundled = true } = {}): T {
  const whole = `import { registerHooks } from 'node:module';
    import { useFastLoading } from ${urlOf('host/process/fast-loading.ts')};
    useFastLoading({ bundled: ${bundled} });
    const loaded = [];
    const [own, libraries] = [${urlOf('.')} + '/', ${urlOf('node_modules')} + '/'];
    registerHooks({ load(url, context, next) {
      if (url.startsWith(own) && !url.startsWith(libraries)) loaded.push(url.slice(own.length));
      return next(url, context);
    } });
    ${code}`;
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', whole], { encoding: 'utf8', cwd: root }),
  ) as T;
}

const entries = () => Object.keys(bundledFiles(join(root, 'bundled/program'), root)?.entries ?? {});

test('all that muster loads is from the bundle', (t) => {
  t.true(entries().length > 20);
  const loaded: string[] = inOurProcess(
    `for (const path of ${JSON.stringify(entries())}) await import(own + path);
     console.log(JSON.stringify(loaded));`,
  );
  t.deepEqual(
    loaded.filter((path) => !path.startsWith('bundled/')),
    [],
  );
  t.true(loaded.length > entries().length);
});

test('a start loads few files of the bundle: each costs time', async (t) => {
  const directory = temporaryDirectory('muster-loaded-');
  const hooks = join(directory, 'hooks.mjs');
  writeFileSync(
    hooks,
    `import { registerHooks } from 'node:module';
     import { appendFileSync } from 'node:fs';
     import { join } from 'node:path';
     import { threadId } from 'node:worker_threads';
     const list = join(import.meta.dirname, threadId === 0 ? 'first' : 'other');
     registerHooks({ load(url, context, next) {
       if (url.includes('/bundled/program/')) appendFileSync(list, url + '\\n');
       return next(url, context);
     } });`,
  );
  const broker = await startBroker({ env: { NODE_OPTIONS: `--import=${pathToFileURL(hooks).href}` } });
  t.teardown(() => broker.stop());
  for (const thread of ['first', 'other']) {
    const list = join(directory, thread);
    const loaded = await until(async () => {
      const files = existsSync(list) ? readFileSync(list, 'utf8').trim().split('\n') : [];
      return files.some((file) => file.includes('storage-sqlite')) && files;
    });
    t.true(loaded.length <= 30, loaded.join('\n'));
  }
});

test('what is bundled exports what its source exports; errors have the same names', async (t) => {
  const open = entries().filter((path) => /(^|\/)index\.ts$/.test(path));
  t.true(open.length > 15);
  const namesOf = (module: object) =>
    Object.entries(module).map(([name, value]) => [
      name,
      Object.prototype.isPrototypeOf.call(Error, value) ? value.name : typeof value,
    ]);
  const bundled: unknown = inOurProcess(
    `const namesOf = ${String(namesOf)};
     const all = {};
     for (const path of ${JSON.stringify(open)}) all[path] = namesOf(await import(own + path));
     console.log(JSON.stringify(all));`,
  );
  const sources = await Promise.all(
    open.map(async (path) => [path, namesOf((await import(join(root, path))) as object)] as const),
  );
  t.deepEqual(bundled, Object.fromEntries(sources));
});

test('a plugin from elsewhere gets the muster that loads it, from the bundle', (t) => {
  const plugin = join(temporaryDirectory('muster-plugin-'), 'plugin.mjs');
  writeFileSync(plugin, `export { ProviderFault } from 'muster';\n`);
  const [same, ...loaded]: unknown[] = inOurProcess(
    `const { enableSelfReference } = await import(own + 'config/plugins/self-reference.ts');
     enableSelfReference();
     const { ProviderFault } = await import(${JSON.stringify(pathToFileURL(plugin).href)});
     const { ProviderFault: ours } = await import(own + 'core/index.ts');
     console.log(JSON.stringify([ProviderFault === ours, ...loaded]));`,
  );
  t.true(same);
  t.deepEqual(
    loaded.filter((path) => !String(path).startsWith('bundled/')),
    ['config/plugins/self-reference.ts'],
  );
});

for (const bundled of [true, false])
  test(`a plugin requires muster, ${bundled ? 'bundled' : 'from its sources'}, and gets the same`, (t) => {
    const plugin = join(temporaryDirectory('muster-plugin-'), 'plugin.cjs');
    writeFileSync(plugin, `module.exports = require('muster');\n`);
    const same: unknown = inOurProcess(
      `const { enableSelfReference } = await import(own + 'config/plugins/self-reference.ts');
       enableSelfReference();
       const { default: { ProviderFault } } = await import(${JSON.stringify(pathToFileURL(plugin).href)});
       const { ProviderFault: ours } = await import(own + 'core/index.ts');
       console.log(JSON.stringify(ProviderFault === ours));`,
      { bundled },
    );
    t.true(same);
  });

test('a file that is loaded first decides that muster is loaded from its sources', (t) => {
  const loaded: string[] = inOurProcess(
    `useFastLoading();
     await import(own + 'core/index.ts');
     console.log(JSON.stringify(loaded));`,
    { bundled: false },
  );
  t.true(loaded.includes('core/contract/clock.ts'));
  t.deepEqual(
    loaded.filter((path) => path.startsWith('bundled/program/')),
    [],
  );
});

test('a thread runs the bundle of the one that started it, also when the sources were changed meanwhile', (t) => {
  const thread = `
    const fs = process.getBuiltinModule('node:fs');
    const module = process.getBuiltinModule('node:module');
    fs.statSync = () => { throw new Error('It looked at the sources.'); };
    module.syncBuiltinESMExports();
    const { useFastLoading } = await import(${urlOf('host/process/fast-loading.ts')});
    useFastLoading();
    const loaded = [];
    module.registerHooks({ load(url, context, next) {
      loaded.push(url);
      return next(url, context);
    } });
    await import(${urlOf('core/index.ts')});
    process.getBuiltinModule('node:worker_threads').parentPort.postMessage(loaded);`;
  const loaded: string[] = inOurProcess(
    `const { Worker } = await import('node:worker_threads');
     const worker = new Worker(new URL('data:text/javascript,' + encodeURIComponent(${JSON.stringify(thread)})));
     const [all] = await process.getBuiltinModule('node:events').once(worker, 'message');
     console.log(JSON.stringify(all));`,
  );
  t.true(loaded.some((url) => url.includes('/bundled/program/')));
  t.false(
    loaded.some((url) => url.endsWith('.ts')),
    loaded.join('\n'),
  );
});

test('an entry that is imported by its path, or through a link, is the bundled one', (t) => {
  const link = join(temporaryDirectory('muster-link-'), 'muster');
  symlinkSync(root, link);
  const all: boolean[] = inOurProcess(
    `const { ProviderFault } = await import(own + 'core/index.ts');
     const paths = ${JSON.stringify([join(root, 'core/index.ts'), join(link, 'core/index.ts')])};
     const found = [];
     for (const path of paths) found.push((await import(path)).ProviderFault === ProviderFault);
     console.log(JSON.stringify(found));`,
  );
  t.deepEqual(all, [true, true]);
});

test('a bundle is used as long as its sources are as they were', (t) => {
  const directory = temporaryDirectory('muster-bundle-');
  const source = join(directory, 'a.ts');
  const write = (files: object) => writeFileSync(join(directory, 'files.json'), JSON.stringify(files));
  const isUsed = () => bundledFiles(directory, directory) !== undefined;
  const facts = { made_by: '', files: ['a.mjs'], entries: { 'a.ts': 'a.mjs' }, libraries: {} };
  t.false(isUsed());
  writeFileSync(source, 'one');
  utimesSync(source, 1_000, 1_000.5);
  write({ ...facts, sources: { 'a.ts': [3, 1_000_500] } });
  t.true(isUsed());
  for (const [text, at] of [
    ['four', 1_000.5],
    ['two', 1_001],
  ] as const) {
    writeFileSync(source, text);
    utimesSync(source, at, at);
    t.false(isUsed(), text);
  }
  write({ ...facts, sources: { 'gone.ts': [3, 1_000_500] } });
  t.false(isUsed());
  // In a package nothing is compared.
  write(facts);
  t.true(isUsed());
  for (const text of ['{', 'null', '{}', '{"entries":null}', '']) {
    writeFileSync(join(directory, 'files.json'), text);
    t.false(isUsed(), text);
  }
});

test('the licences of the libraries inside are beside the bundle', (t) => {
  const { libraries = {} } = bundledFiles(join(root, 'bundled/program'), root) ?? {};
  const text = readFileSync(join(root, 'bundled/program/LICENSES.txt'), 'utf8');
  for (const [path, version] of Object.entries(libraries))
    t.true(text.includes(`${path.replace(/^.*node_modules\//, '')} ${version}\n`), path);
  t.true(Object.keys(libraries).length > 10);
});
