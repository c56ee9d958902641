import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

export interface Packed {
  readonly manifest: Manifest;
  /** What the build made. */
  readonly dist: string;
  readonly tarball: string;
  /** Of the tarball as a file, in bytes. */
  readonly size: number;
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

/** The files that the build reads and that the package contains; not the tests, and not an older build. */
const sources = [
  'core',
  'plugins',
  'config',
  'host',
  'scripts',
  'docs',
  'plugin-testkit',
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
  '.npmrc',
  'LICENSE',
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
];

/** Builds and packs a copy of the sources below `directory`: the `dist` of this tree is left alone. */
export function pack(directory: string): Packed {
  const copy = join(directory, 'copy');
  for (const path of sources) cpSync(join(root, path), join(copy, path), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  const manifest = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8')) as Manifest;
  // As it is, but for the check of types, which `npm run typecheck` makes.
  const build = (manifest.scripts['build'] ?? '').replace('tsconfig.build.json', '$& --noCheck --checkers 1');
  run('sh', ['-c', build], copy);
  // Not the scripts of the package: this was the build, and `prepare` is for clones.
  const said = run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', directory], copy);
  const [{ filename, size, files }] = JSON.parse(said) as [{ filename: string; size: number; files: Packed['files'] }];
  return { manifest, dist: join(copy, 'dist'), tarball: join(directory, filename), size, files };
}

/** Runs a program to its end, with this Node and our development tools on the path; what it printed. */
export function run(program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): string {
  const path = `${dirname(process.execPath)}:${join(root, 'node_modules/.bin')}:${process.env['PATH']}`;
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, PATH: path, ...env },
  });
  if (status !== 0)
    throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${error ?? ''}${stdout}${stderr}`);
  return stdout;
}

/**
 * Unpacks the tarball into the `node_modules` of a project, and beside it what package.json says that it needs at run
 * time: only what is declared can be imported, as with a package manager that does not flatten.
 */
export function install({ tarball, manifest }: Packed, project: string): void {
  const modules = join(project, 'node_modules');
  const own = join(modules, manifest.name);
  mkdirSync(join(modules, '.bin'), { recursive: true });
  mkdirSync(own);
  run('tar', ['-xzf', tarball, '--strip-components=1', '-C', own], project);
  for (const name of Object.keys(manifest.dependencies)) link(name, modules);
  for (const name of Object.keys(manifest.optionalDependencies))
    if (existsSync(join(root, 'node_modules', name))) link(name, modules);
  for (const [name, file] of Object.entries(manifest.bin))
    symlinkSync(join('..', manifest.name, file), join(modules, '.bin', name));
}

function link(name: string, modules: string): void {
  mkdirSync(dirname(join(modules, name)), { recursive: true });
  symlinkSync(join(root, 'node_modules', name), join(modules, name));
}

/** A folder with nothing but the package and what it needs at run time. Its parent is a directory of its own. */
export function emptyProject(packed: Packed, name: string): string {
  const folder = join(realpathSync(mkdtempSync(join(tmpdir(), 'muster-empty-'))), name);
  mkdirSync(folder);
  install(packed, folder);
  return folder;
}

/** An empty project with a configuration, templates, a plugin by path and, as a package, a plugin of somebody else. */
export function project(packed: Packed): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'muster-project-')));
  cpSync(join(import.meta.dirname, 'project'), directory, { recursive: true });
  install(packed, directory);
  cpSync(join(directory, 'acme-machines'), join(directory, 'node_modules/acme-machines'), { recursive: true });
  return directory;
}
