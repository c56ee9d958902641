import { readFileSync } from 'node:fs';

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
