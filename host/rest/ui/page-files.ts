import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

/** A file of the page, as it is sent. */
export interface PageFile {
  readonly type: string;
  readonly content: Buffer;
  readonly compressed: Buffer;
}

export interface PageFiles {
  /** The document, for every address of the page. */
  readonly document: PageFile;
  /** Script and style sheet, by name. Their names change with their content. */
  readonly assets: ReadonlyMap<string, PageFile>;
}

/** Where `scripts/bundle-page.ts` puts the page: beside the sources, and inside of a build. */
export const bundledPage: string = fileURLToPath(new URL('../../../bundled/page/', import.meta.url));

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/**
 * Reads the page from a directory. `read_only`: the document tells the page to show no controls. Undefined: the page
 * was not bundled in this installation.
 */
export function readPageFiles(directory: string, read_only: boolean): PageFiles | undefined {
  let html: string;
  try {
    html = readFileSync(join(directory, 'index.html'), 'utf8');
  } catch {
    return undefined;
  }
  const mode = read_only ? 'read_only' : 'on';
  const names = readdirSync(directory).filter((name) => extname(name) in types);
  return {
    document: fileOf('text/html; charset=utf-8', Buffer.from(html.replace('data-page="on"', `data-page="${mode}"`))),
    assets: new Map(
      names.map((name) => [name, fileOf(types[extname(name)] as string, readFileSync(join(directory, name)))]),
    ),
  };
}

const fileOf = (type: string, content: Buffer): PageFile => ({ type, content, compressed: gzipSync(content) });
