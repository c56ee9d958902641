import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface PackageManifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

/** The manifest of the package in a directory. */
export const manifestIn = (directory: string): PackageManifest =>
  JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as PackageManifest;

/**
 * The licences of the packages in these directories, one after the other. Of a package without a file it is the name
 * that its manifest gives.
 */
export function licenceTexts(directories: readonly string[]): string {
  const textOf = (directory: string): string => {
    const { name, version, license } = manifestIn(directory);
    const file = readdirSync(directory).find((each) => /^licen[cs]e/i.test(each));
    const text = file === undefined ? license : readFileSync(join(directory, file), 'utf8').trim();
    return `${name} ${version}\n\n${text}\n`;
  };
  return directories.map(textOf).join(`\n${'-'.repeat(80)}\n\n`);
}
