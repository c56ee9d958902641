import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The root of the repository. */
export const root = join(import.meta.dirname, '../..');

/** A generated file as it stands in the repository, and as the code makes it now. */
export interface MadeFile {
  /** From the root of the repository. */
  readonly file: string;
  /** Empty where there is no such file yet. */
  readonly written: string;
  readonly made: string;
}

/** One or several files that are generated from the code together. */
export interface Page {
  /** `npm run generate -- NAME` makes this page alone. */
  readonly name: string;
  /** Pages that must be written first, since this page is made from their files. */
  readonly after?: readonly string[];
  /**
   * The test that compares this page, if the test over all pages does not: it takes long, or shares work with another
   * test.
   */
  readonly tested_in?: string;
  make(): Promise<readonly MadeFile[]>;
}

/** The file with the content that `make` gives; `make` gets what is written today. */
export function madeFile(file: string, make: (written: string) => string): MadeFile {
  const path = join(root, file);
  const written = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return { file, written, made: make(written) };
}

/** The comment that tells the reader of a source not to edit it. */
export const generated = (name: string, from: string): string =>
  `<!-- Generated from ${from} by \`npm run generate -- ${name}\`; do not edit. -->`;
