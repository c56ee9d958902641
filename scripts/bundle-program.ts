/**
 * Bundles the program into some files, together with the libraries that a start needs: each of a thousand files that
 * Node loads as a module costs time and memory. See docs/decisions/program-in-a-few-files.md. Without an argument it
 * bundles the sources into bundled/program, where that is not done yet; with `dist`, the built package into
 * dist/bundled/program.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Plugin } from 'rolldown';
import { bundledFiles, type BundledFiles, type SourceFacts } from '../host/process/bundled-program.ts';
import { joinedByStart } from './bundles/joined-by-start.ts';
import { licenceTexts, manifestIn } from './bundles/licence-texts.ts';
import { moduleInput, moduleOutput } from './bundles/module-options.ts';
import { putFile } from './bundles/put-file.ts';

const root = join(import.meta.dirname, '..');
const built = process.argv[2];
const from = built === undefined ? root : resolve(built);
const to = join(from, 'bundled/program');
const ending = built === undefined ? '.ts' : '.js';

/**
 * What is imported from outside of the bundle: by the first file of a process or thread, by a plugin, by a user. The
 * first of a list is the entry; the others are what it always imports dynamically. The modules that the same of these
 * starts load become one file.
 */
const starts: Readonly<Record<string, readonly [string, ...string[]]>> = {
  command: ['host/cli/program'],
  server: [
    'host/cli/program',
    'host/cli/commands/server/start/server-start',
    'host/rest/app',
    'host/loop/loop-thread',
    'core/index',
  ],
  loop: ['host/loop/loop-body', 'core/index'],
  worker: ['host/cluster/run-worker', 'host/rest/app', 'core/index'],
  export: ['host/telemetry/export/run-export'],
  script: ['host/hostfactory/client/script-main'],
  version: ['host/process/this-package'],
  package: ['host/package/index'],
  sdk: ['host/sdk/index'],
  testkit: ['plugin-testkit/index'],
  plugin: ['core/index'],
};
const entries = [...new Set(Object.values(starts).map(([first]) => first))];

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

/** Before the path of a source: the module that exports what the source exports. */
const entryMark = 'entry:';

/** A running server loads what it needs later from the files with which it started. They stay for so long. */
const keptMs = 86_400_000;

const bundler = await import('rolldown').catch(() => undefined);
if (!bundler) {
  process.stderr.write('rolldown is not installed: the program stays in its many files, and a start takes longer.\n');
  // A build cannot do without; an install can.
  process.exit(built === undefined ? 0 : 1);
}
const { rolldown, VERSION } = bundler;
const made_by = createHash('sha256')
  .update(readFileSync(import.meta.filename))
  .update(readFileSync(join(import.meta.dirname, 'bundles/joined-by-start.ts')))
  .update(JSON.stringify([moduleInput, moduleOutput, VERSION]))
  .digest('hex');
if (built === undefined && isDone()) process.exit(0);
/** The sources as they were when they were read: an edit beside the bundler makes the bundle out of date. */
const facts = new Map<string, SourceFacts>();

const isPlugin = (path: string): boolean => path.startsWith('plugins/');
const own = await bundle('own', entries.map(withEnding), { isOutside: isPlugin, starts });
const indexes = readdirSync(join(from, 'plugins')).map((name) => withEnding(`plugins/${name}/index`));
const found = indexes.filter((path) => existsSync(join(from, path)));
const plugins = await bundle('plugins', [...new Set([...found, ...own.left])], {
  isOutside: (path) => !isPlugin(path),
  // Who names no plugins in the configuration has them all, at each start.
  starts: { plugins: found.map(withoutEnding) },
});
const unmet = [...plugins.left].filter((path) => !entries.includes(withoutEnding(path)));
if (unmet.length > 0) throw new Error(`Plugins import what is no entry of the bundle: ${unmet.join(', ')}.`);

const inputs = [...own.inputs, ...plugins.inputs];
const outputs = [...own.outputs, ...plugins.outputs];
const names = new Set(outputs.map(([file]) => file));
const libraries = [
  ...new Set(inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [])),
].toSorted();
putFile(to, 'LICENSES.txt', licenceTexts(libraries.map((path) => join(from, path))));
const before = filesBefore();
const files: BundledFiles = {
  made_by,
  files: [...names],
  entries: Object.fromEntries(outputs.flatMap(([file, entry]) => (entry === undefined ? [] : [[entry, file]]))),
  libraries: Object.fromEntries(libraries.map((path) => [path, manifestIn(join(from, path)).version])),
  // A package is never edited.
  ...(built === undefined ? { sources: Object.fromEntries(facts) } : {}),
};
putFile(to, 'files.json', `${JSON.stringify(files)}\n`);
removeOld();

/**
 * Bundles `sources` into a folder. `inputs`: the paths of all files that were read. `outputs`: each bundled file, and
 * the source whose exports it has. `left`: the files of muster that stay outside.
 */
async function bundle(
  folder: string,
  sources: readonly string[],
  options: {
    readonly isOutside: (path: string) => boolean;
    readonly starts: Readonly<Record<string, readonly string[]>>;
  },
): Promise<{
  readonly inputs: readonly string[];
  readonly outputs: readonly (readonly [file: string, entry: string | undefined])[];
  readonly left: ReadonlySet<string>;
}> {
  const left = new Set<string>();
  const parts: Plugin = {
    name: 'parts',
    resolveId(path, importer) {
      if (importer === undefined || path.startsWith(from)) return path;
      if (!path.startsWith('.')) {
        const name = path.split('/', path.startsWith('@') ? 2 : 1).join('/');
        const isLibrary = isLibraryFile(importer) ? !outside.includes(name) : inside.includes(name);
        return isLibrary ? undefined : { id: path, external: true };
      }
      const source = within(from, join(dirname(importer), path));
      if (isLibraryFile(importer) || !options.isOutside(source)) return undefined;
      left.add(source);
      return { id: fromBundle(source), external: true };
    },
    async load(path) {
      if (path.startsWith(entryMark)) {
        const id = path.slice(entryMark.length);
        const { exports } = await this.load({ id });
        const source = JSON.stringify(id);
        return `export * from ${source};${exports.includes('default') ? `export { default } from ${source};` : ''}`;
      }
      if (isLibraryFile(path) || !path.startsWith(from)) return undefined;
      return { code: read(path), moduleType: path.slice(path.lastIndexOf('.') + 1) };
    },
  };
  const byStart = Object.entries(options.starts).map(([name, first]) => [
    name,
    first.map((path) => join(from, withEnding(path))),
  ]);
  const built = await rolldown({
    ...moduleInput,
    cwd: from,
    input: Object.fromEntries(
      sources.map((path) => [withoutEnding(path).replaceAll('/', '-'), `${entryMark}${join(from, path)}`]),
    ),
    plugins: [parts],
    // What joining by start needs. The file of an entry may then export more: so no entry has code of its own.
    preserveEntrySignatures: 'allow-extension',
  });
  const { output } = await built.write({
    ...moduleOutput,
    dir: join(to, folder),
    entryFileNames: '[name]-[hash].mjs',
    chunkFileNames: '[name]-[hash].mjs',
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: joinedByStart(Object.fromEntries(byStart)), debugName: 'starts' }],
    },
  });
  await built.close();
  const chunks = output.filter((each) => each.type === 'chunk');
  return {
    inputs: chunks.flatMap(({ moduleIds }) => moduleIds.filter((id) => existsSync(id)).map((id) => within(from, id))),
    outputs: chunks.map(({ fileName, isEntry, facadeModuleId }) => [
      `${folder}/${fileName}`,
      isEntry ? within(from, facadeModuleId?.slice(entryMark.length) ?? '') : undefined,
    ]),
    left,
  };
}

function withEnding(path: string): string {
  return `${path}${ending}`;
}

function withoutEnding(path: string): string {
  return path.slice(0, path.lastIndexOf('.'));
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
