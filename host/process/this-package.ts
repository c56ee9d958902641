import { readFileSync } from 'node:fs';
import { isAbsolute, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

// This file lies in host/ in the sources, and in dist/host/ in a build.
const manifest = new URL(
  import.meta.url.endsWith('.ts') ? '../../package.json' : '../../../package.json',
  import.meta.url,
);
const { name, version } = JSON.parse(readFileSync(manifest, 'utf8')) as {
  readonly name: string;
  readonly version: string;
};

/** Name and version of this package. */
export const thisPackage = { name, version };

/** The path of a page of this package, for a text in a directory: from there when the page lies below it. */
export function pageFrom(directory: string, page: string): string {
  const path = fileURLToPath(new URL(page, manifest));
  const from = relative(directory, path);
  return from.startsWith('..') || isAbsolute(from) ? path : from;
}
