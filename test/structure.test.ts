import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import test from 'ava';
import { circlesOf } from './support/circles-of.ts';
import { groups } from './together/groups.ts';

const root = resolve(import.meta.dirname, '..');
const sources = globSync('{core,plugins,plugin-testkit,config,host}/**/*.{ts,tsx}', { cwd: root });

interface Import {
  readonly file: string;
  /** Path from the root for our own files, else the package's name. */
  readonly target: string;
  readonly own: boolean;
  /** Only types: gone when it runs. */
  readonly types: boolean;
  /** `import()`. */
  readonly lazy: boolean;
}

const statement =
  /(?:^|\n)\s*(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|import\(\s*'([^']+)'\s*\)/g;

/**
 * Import statements are written one way here, so that a pattern finds them all; comments that look like one would only
 * make the test stricter.
 */
function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(statement)].map(([, types, fixed, dynamic]) => {
    const specifier = fixed ?? dynamic ?? '';
    const own = specifier.startsWith('.');
    const target = own ? relative(root, resolve(root, dirname(file), specifier)) : packageOf(specifier);
    return { file, target, own, types: types !== undefined, lazy: dynamic !== undefined };
  });
}

const packageOf = (specifier: string): string =>
  specifier.startsWith('node:')
    ? specifier
    : specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/');

const imports = sources.flatMap(importsOf);
const from = (folder: string) => imports.filter(({ file }) => file.startsWith(`${folder}/`));
const shown = (found: readonly Import[]) => found.map(({ file, target }) => `${file} imports ${target}`);
const pluginOf = (path: string): string => path.split('/')[1] ?? '';

/** The core knows no HTTP, no files, no environment and no cloud. */
const coreMayImport = new Set([
  'typebox',
  'tsyringe',
  'reflect-metadata',
  'node:crypto',
  'node:timers',
  'node:timers/promises',
  // Memory that threads share.
  'node:worker_threads',
  'dataloader',
  'fastest-levenshtein',
  'lru-cache',
  'p-limit',
]);

test('the test sees the sources', (t) => {
  t.true(sources.length > 150, `${sources.length} files`);
  t.true(imports.filter(({ own }) => own).length > 400);
});

test('core imports only itself and a few libraries without the world', (t) => {
  t.deepEqual(
    shown(from('core').filter(({ own, target }) => (own ? !target.startsWith('core/') : !coreMayImport.has(target)))),
    [],
  );
  const environment = sources.filter(
    (file) => file.startsWith('core/') && /process\.env/.test(readFileSync(join(root, file), 'utf8')),
  );
  t.deepEqual(environment, []);
});

test('reflect-metadata is imported in one place', (t) => {
  t.deepEqual(
    imports.filter(({ target }) => target === 'reflect-metadata').map(({ file }) => file),
    ['core/wiring/container.ts'],
  );
});

// The index of a plugin brings the core with it; the simulated cloud's process wants the data of the cloud and nothing
// else.
test('a plugin imports its own files, the public surface of the core, and other plugins by their index or that of their catalogue of data', (t) => {
  const wrong = from('plugins').filter(({ file, target, own }) => {
    if (!own || target === 'core/index.ts') return false;
    if (!target.startsWith('plugins/')) return true;
    const other = `plugins/${pluginOf(target)}`;
    return (
      pluginOf(target) !== pluginOf(file) && target !== `${other}/index.ts` && target !== `${other}/catalogue/index.ts`
    );
  });
  t.deepEqual(shown(wrong), []);
});

test('a plugin names in `requires` the plugins that it imports', async (t) => {
  for (const name of new Set(from('plugins').map(({ file }) => pluginOf(file)))) {
    const needed = new Set(
      from(`plugins/${name}`)
        .filter(({ target, own }) => own && target.startsWith('plugins/') && pluginOf(target) !== name)
        .map(({ target }) => pluginOf(target)),
    );
    const { default: plugin } = await import(`../plugins/${name}/index.ts`);
    t.is(plugin.name, name);
    t.deepEqual(
      [...needed].filter((each) => !plugin.requires?.includes(each)),
      [],
      `${name} requires`,
    );
  }
});

test('config and host import no plugin statically, config no host, and neither a cloud SDK', (t) => {
  const wrong = [...from('config'), ...from('host')].filter(
    ({ file, target, lazy }) =>
      (target.startsWith('plugins/') && !lazy) ||
      target.startsWith('@aws-sdk') ||
      target.startsWith('@smithy') ||
      (file.startsWith('config/') && target.startsWith('host/')),
  );
  t.deepEqual(shown(wrong), []);
});

/** What the operator's page is made of, beside its own files. It runs in browsers. */
const pageMayImport = new Set(['preact', 'preact/hooks', '@preact/signals']);
/** Where the types of the public routes are declared. */
const publicTypes = new Set(['core/contract/answers.ts', 'core/operations/registry.ts']);

test('the page imports its own files, its libraries, and of the broker nothing but the types of public routes', (t) => {
  t.deepEqual(
    shown(
      from('host/page').filter(
        ({ target, own, types }) =>
          !(own ? target.startsWith('host/page/') : pageMayImport.has(target)) &&
          !(types && (publicTypes.has(target) || target === 'typebox')),
      ),
    ),
    [],
  );
  // It is bundled by itself, so that nothing of it is loaded in Node.
  const outside = imports.filter(({ file }) => !file.startsWith('host/page/'));
  t.deepEqual(
    shown(outside.filter(({ target }) => target.startsWith('host/page/') || /^@?preact\b/.test(target))),
    [],
  );
});

const interfaces = ['cli', 'hostfactory', 'mcp', 'rest', 'sdk'];
/** Commands that start another interface, and routes of the server that lead to one. */
const doors = new Set([
  'host/cli/commands/hostfactory.ts',
  'host/cli/commands/mcp.ts',
  'host/hostfactory/routes.ts',
  'host/rest/app.ts',
  'host/rest/routes/mcp-route.ts',
  'host/rest/openapi/service-paths.ts',
]);

test('an interface imports no other interface except the SDK', (t) => {
  const wrong = interfaces.flatMap((each) =>
    from(`host/${each}`).filter(({ file, target }) =>
      interfaces.some(
        (other) => other !== each && other !== 'sdk' && target.startsWith(`host/${other}/`) && !doors.has(file),
      ),
    ),
  );
  t.deepEqual(shown(wrong), []);
  // The code that all interfaces use imports none of them.
  const below = imports.filter(({ file }) => file.startsWith('host/client/') || file.startsWith('host/sdk/'));
  t.deepEqual(
    shown(
      below.filter(({ target }) => interfaces.some((each) => each !== 'sdk' && target.startsWith(`host/${each}/`))),
    ),
    [],
  );
});

test('cloud SDKs and the client of PostgreSQL are imported when they are used, not when a plugin is loaded', (t) => {
  t.deepEqual(
    shown(
      from('plugins').filter(({ target, types, lazy }) => /^@(aws-sdk|smithy)\/|^pg$/.test(target) && !types && !lazy),
    ),
    [],
  );
});

test('importing the package or its SDK loads no operation, no configuration and no broker', (t) => {
  const loaded = new Set(['host/package/index.ts']);
  for (const file of loaded)
    for (const each of imports)
      if (each.file === file && each.own && !each.types && !each.lazy) loaded.add(each.target);
  t.true(loaded.has('host/sdk/errors.ts') && loaded.has('core/contract/provider/provider-api.ts'));
  const heavy = [...loaded].filter((file) => !/^core\/(?!operations\/|wiring\/)|^host\/(package|sdk)\//.test(file));
  t.deepEqual(heavy, []);
});

test('imports of our own files end in .ts or name data', (t) => {
  t.deepEqual(shown(imports.filter(({ own, target, lazy }) => own && !lazy && !/\.(tsx?|json)$/.test(target))), []);
});

test('no file imports itself by way of others, type imports included', (t) => {
  const arrows = new Map(
    sources.map((file) => [
      file,
      imports.filter((each) => each.file === file && each.own).map(({ target }) => target),
    ]),
  );
  t.deepEqual(circlesOf(arrows), []);
  t.deepEqual(
    circlesOf(
      new Map([
        ['a', ['b']],
        ['b', ['c', 'a']],
        ['c', ['c']],
      ]),
    ),
    [['a', 'b']],
  );
});

/** Where a name has one meaning: a plugin is a tree of its own, and so is the page. */
const treeOf = (file: string): string =>
  file
    .split('/')
    .slice(0, /^(plugins|host\/page)\//.test(file) ? 2 : 1)
    .join('/');
const declaration = /^export (?:async )?(?:abstract )?(?:const|let|function\*?|class|interface|type) (\w+)/gm;

test('no two files of a tree export the same name', (t) => {
  const files = new Map<string, Set<string>>();
  for (const file of sources)
    for (const [, name = ''] of readFileSync(join(root, file), 'utf8').matchAll(declaration)) {
      const key = `${treeOf(file)}: ${name}`;
      files.set(key, (files.get(key) ?? new Set()).add(file));
    }
  const several = [...files].filter(([, of]) => of.size > 1).map(([key, of]) => `${key} in ${[...of].join(' and ')}`);
  t.deepEqual(several, []);
});

const mostFiles = 14;
/** One file for each action of the cloud. */
const tables = /^plugins\/cloud-simulator\/actions\//;

test('a folder holds about a dozen files', (t) => {
  const folders = Map.groupBy(sources, (file) => dirname(file));
  const large = [...folders].filter(([folder, files]) => files.length > mostFiles && !tables.test(`${folder}/`));
  t.deepEqual(
    large.map(([folder, files]) => `${folder} has ${files.length}`),
    [],
  );
  t.deepEqual(
    sources
      .filter((file) => dirname(file) === 'host')
      .map((file) => file.slice('host/'.length))
      .toSorted(),
    ['compose.ts', 'container.ts', 'main.ts', 'server.ts'],
  );
});

/** A line that holds one text which cannot be cut may be longer: a message, a URL, a row of a table. */
const holdsOneText = /(['"`/]).{60,}\1|`|https?:\/\/\S{40,}|\S{80,}|^\s*\||oxlint-disable/;

/** Lines that reach column 120, but for those in texts of several lines: templates of a program, output in a page. */
function longLines(file: string): readonly string[] {
  let inText = false;
  return readFileSync(join(root, file), 'utf8')
    .split('\n')
    .flatMap((line, index) => {
      const began = inText;
      const turns = file.endsWith('.md') ? Number(line.startsWith('```')) : line.split('`').length - 1;
      if (turns % 2 === 1) inText = !inText;
      return line.length < 120 || began || inText || holdsOneText.test(line) ? [] : [`${file}:${index + 1}`];
    });
}

test('lines end before column 120', (t) => {
  const folders = '{core,plugins,plugin-testkit,config,host,test,scripts,docs}';
  const pages = ['docs/{*,guides/*,decisions/*}.md', '*.md'];
  const files = [`${folders}/**/*.{ts,tsx}`, 'host/page/**/*.css', '*.js', ...pages].flatMap((pattern) =>
    globSync(pattern, { cwd: root }),
  );
  t.deepEqual(files.filter((file) => !file.includes('node_modules/')).flatMap(longLines), []);
});

test('the tests of a group that share a process have different titles', (t) => {
  for (const [group, pattern] of Object.entries(groups)) {
    const files = globSync(pattern, { cwd: join(root, 'test'), exclude: ['**/*.long.test.ts'] });
    const titles = files.flatMap((file) =>
      readFileSync(join(root, 'test', file), 'utf8')
        .matchAll(/^test(?:\.\w+)?\(\s*'((?:[^'\\]|\\.)*)'/gm)
        .map(([, title]) => title)
        .toArray(),
    );
    t.true(titles.length > 0, group);
    t.deepEqual(
      titles.filter((title, index) => titles.indexOf(title) !== index),
      [],
      group,
    );
  }
});
