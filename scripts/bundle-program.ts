/**
 * Bundles the program into some files, together with the libraries that a start needs: each of a thousand files that
 * Node loads as a module costs time and memory. See docs/decisions/program-in-a-few-files.md. Without an argument it
 * bundles the sources into bundled/program, where that is not done yet; with `dist`, the built package into
 * dist/bundled/program.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Metafile, Plugin } from 'esbuild';
import { bundledFiles, type BundledFiles, type SourceFacts } from '../host/process/bundled-program.ts';
import { licenceTexts, manifestIn } from './bundles/licence-texts.ts';
import { moduleOptions } from './bundles/module-options.ts';
import { putFile } from './bundles/put-file.ts';

const root = join(import.meta.dirname, '..');
const built = process.argv[2];
const from = built === undefined ? root : resolve(built);
const to = join(from, 'bundled/program');
const ending = built === undefined ? '.ts' : '.js';

/** What is imported from outside of the bundle: by the first file of a process or thread, by a plugin, by a user. */
const entries = [
  'host/cli/program',
  'host/hostfactory/client/script-main',
  'host/process/this-package',
  'host/loop/loop-body',
  'host/cluster/run-worker',
  'host/telemetry/export/run-export',
  'host/package/index',
  'host/sdk/index',
  'plugin-testkit/index',
  'core/index',
].map((path) => `${path}${ending}`);

/**
 * The libraries that every start loads, and what they need. Others are loaded later, or have files beside their code.
 */
const inside = [
  'close-with-grace',
  'commander',
  'cosmiconfig',
  'dataloader',
  'env-var',
  'fastest-levenshtein',
  'fastify',
  'lru-cache',
  'negotiator',
  'p-limit',
  'pino',
  'reflect-metadata',
  'tsyringe',
];
/** Libraries of these libraries that no start loads. */
const outside = ['ajv', 'ajv-formats', 'import-fresh', 'js-yaml', 'parse-json', 'typescript'];

/** A running server loads what it needs later from the files with which it started. They stay for so long. */
const keptMs = 86_400_000;

const esbuild = await import('esbuild').catch(() => undefined);
if (!esbuild) {
  process.stderr.write('esbuild is not installed: the program stays in its many files, and a start takes longer.\n');
  // A build cannot do without; an install can.
  process.exit(built === undefined ? 0 : 1);
}
const { build, version: esbuildVersion } = esbuild;
const made_by = createHash('sha256')
  .update(readFileSync(import.meta.filename))
  .update(JSON.stringify([moduleOptions, esbuildVersion]))
  .digest('hex');
if (built === undefined && isDone()) process.exit(0);
/** The sources as they were when they were read: an edit beside the bundler makes the bundle out of date. */
const facts = new Map<string, SourceFacts>();

const isPlugin = (path: string): boolean => path.startsWith('plugins/');
// A library that is no module calls `require`.
const banner = `import { createRequire as requireFor } from 'node:module';\nconst require = requireFor(import.meta.url);`;
const own = await bundle('own', entries, { isOutside: isPlugin, banner });
const indexes = readdirSync(join(from, 'plugins')).map((name) => `plugins/${name}/index${ending}`);
const imported = new Set([...indexes.filter((path) => existsSync(join(from, path))), ...own.left]);
const plugins = await bundle('plugins', [...imported], { isOutside: (path) => !isPlugin(path), banner: '' });
const unmet = [...plugins.left].filter((path) => !entries.includes(path));
if (unmet.length > 0) throw new Error(`Plugins import what is no entry of the bundle: ${unmet.join(', ')}.`);

const inputs = [own, plugins].flatMap(({ files }) => Object.keys(files.inputs));
const outputs = [own, plugins].flatMap(({ files }) => Object.entries(files.outputs));
const names = new Set(outputs.map(([path]) => within(to, join(from, path))));
const libraries = [
  ...new Set(inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [])),
].toSorted();
putFile(to, 'LICENSES.txt', licenceTexts(libraries.map((path) => join(from, path))));
const before = filesBefore();
const files: BundledFiles = {
  made_by,
  files: [...names],
  entries: Object.fromEntries(
    outputs.flatMap(([path, { entryPoint }]) => (entryPoint ? [[entryPoint, within(to, join(from, path))]] : [])),
  ),
  libraries: Object.fromEntries(libraries.map((path) => [path, manifestIn(join(from, path)).version])),
  // A package is never edited.
  ...(built === undefined ? { sources: Object.fromEntries(facts) } : {}),
};
putFile(to, 'files.json', `${JSON.stringify(files)}\n`);
removeOld();

/** Bundles `entryPoints` into a folder. `left`: the files of muster that stay outside. */
async function bundle(
  folder: string,
  entryPoints: readonly string[],
  { isOutside, banner: js }: { readonly isOutside: (path: string) => boolean; readonly banner: string },
): Promise<{ readonly files: Metafile; readonly left: ReadonlySet<string> }> {
  const left = new Set<string>();
  const parts: Plugin = {
    name: 'parts',
    setup(steps) {
      steps.onResolve({ filter: /./ }, ({ path, kind, importer }) => {
        if (kind === 'entry-point') return undefined;
        if (!path.startsWith('.')) {
          const name = path.split('/', path.startsWith('@') ? 2 : 1).join('/');
          const isLibrary = isLibraryFile(importer) ? !outside.includes(name) : inside.includes(name);
          return isLibrary ? undefined : { path, external: true };
        }
        const source = within(from, join(dirname(importer), path));
        if (!isOutside(source)) return undefined;
        left.add(source);
        return { path: fromBundle(source), external: true };
      });
      steps.onLoad({ filter: /\.[jt]s$/ }, ({ path }) =>
        isLibraryFile(path) ? undefined : { contents: read(path), loader: path.endsWith('.ts') ? 'ts' : 'js' },
      );
    },
  };
  const { metafile } = await build({
    ...moduleOptions,
    absWorkingDir: from,
    entryPoints: [...entryPoints],
    outdir: join(to, folder),
    entryNames: '[name]-[hash]',
    metafile: true,
    tsconfigRaw: {},
    plugins: [parts],
    banner: { js },
  });
  return { files: metafile, left };
}

/** The path of a file below a directory, with slashes everywhere. */
function within(directory: string, path: string): string {
  return relative(directory, path).replaceAll(sep, '/');
}

function isLibraryFile(path: string): boolean {
  return within(from, path).includes('node_modules/');
}

/** The path of a source as a bundled file imports it. */
function fromBundle(source: string): string {
  return `../../../${source}`;
}

/** The text of a source, so that it finds the files beside the source from where the bundle stands. */
function read(path: string): string {
  const source = within(from, path);
  const { size, mtimeMs } = statSync(path);
  facts.set(source, [size, mtimeMs]);
  const url = `new URL(${JSON.stringify(fromBundle(source))}, import.meta.url)`;
  const file = `process.getBuiltinModule('node:url').fileURLToPath(${url})`;
  return readFileSync(path, 'utf8')
    .replaceAll(/\bimport\.meta\.url\b/g, `${url}.href`)
    .replaceAll(/\bimport\.meta\.filename\b/g, file)
    .replaceAll(/\bimport\.meta\.dirname\b/g, `process.getBuiltinModule('node:path').dirname(${file})`);
}

/** Whether the sources and the libraries are bundled as they are, and the bundle is whole. */
function isDone(): boolean {
  const done = bundledFiles(to, from);
  if (done?.made_by !== made_by || !done.files.every((path) => existsSync(join(to, path)))) return false;
  try {
    return Object.entries(done.libraries).every(([path, version]) => manifestIn(join(from, path)).version === version);
  } catch {
    return false;
  }
}

/** The files of the bundle that is replaced. */
function filesBefore(): readonly string[] {
  try {
    const { files: those } = JSON.parse(readFileSync(join(to, 'files.json'), 'utf8')) as Partial<BundledFiles>;
    return those ?? [];
  } catch {
    return [];
  }
}

/** Removes the files of bundles that were replaced long ago. The time of a file is that of its replacement. */
function removeOld(): void {
  const now = new Date();
  for (const path of before) if (!names.has(path) && existsSync(join(to, path))) utimesSync(join(to, path), now, now);
  for (const folder of ['own', 'plugins'])
    for (const name of readdirSync(join(to, folder))) {
      const file = join(to, folder, name);
      if (!names.has(`${folder}/${name}`) && now.getTime() - statSync(file).mtimeMs > keptMs) rmSync(file);
    }
}
