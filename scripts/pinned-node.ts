import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The checked-in figures of the Node that npm installs with muster: `scripts/pinned-node.json`. */
export interface Figures {
  readonly version: string;
  /** Where the Node project publishes the sums of a release. */
  readonly published_at: string;
  /** By the name of the package. */
  readonly packages: Readonly<Record<string, Pinned>>;
}

export interface Pinned {
  /** Its path in the package. */
  readonly executable: string;
  /** SHA-256 of the executable, in hex. */
  readonly sha256: string;
  /** The file whose sum the Node project publishes: the executable itself, or its archive. */
  readonly published: { readonly name: string; readonly sha256: string };
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly integrity?: string }>>;
}

const root = join(import.meta.dirname, '..');
const read = <T>(path: string): T => JSON.parse(readFileSync(join(root, path), 'utf8')) as T;

export const figures = (): Figures => read<Figures>('scripts/pinned-node.json');

/** The entry of a package in the lock file. */
export const lockedPackage = (name: string) => read<Lock>('package-lock.json').packages[`node_modules/${name}`] ?? {};

/** The packages with a Node that muster wants. */
export function wantedPackages(): readonly string[] {
  const { optionalDependencies } = read<{ readonly optionalDependencies: Readonly<Record<string, string>> }>(
    'package.json',
  );
  return Object.keys(optionalDependencies)
    .filter((name) => name.startsWith('node-'))
    .toSorted();
}

/** Where npm puts a package of this clone. */
export const installedAt = (name: string): string => join(root, 'node_modules', name);
