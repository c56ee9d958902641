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
  /**
   * The document, for every address of the page. It names its files relative to that address, so that a gateway may
   * serve the page below a path of its own. `depth`: how many folders below /ui/ the address is.
   */
  document(depth: number): PageFile;
  /** Script and style sheet, by name. Their names change with their content. */
  readonly assets: ReadonlyMap<string, PageFile>;
}

/** The depth of the deepest addresses that the page has. */
const deepest = 4;

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
  const text = html.replace('data-page="on"', `data-page="${read_only ? 'read_only' : 'on'}"`);
  const documents = new Map<number, PageFile>();
  const documentAt = (depth: number): PageFile => {
    const kept = documents.get(depth);
    if (kept) return kept;
    const document = fileOf(
      'text/html; charset=utf-8',
      Buffer.from(text.replaceAll('{{up}}', '../'.repeat(depth) || './')),
    );
    if (depth <= deepest) documents.set(depth, document);
    return document;
  };
  const names = readdirSync(directory).filter((name) => extname(name) in types);
  return {
    document: documentAt,
    assets: new Map(
      names.map((name) => [name, fileOf(types[extname(name)] as string, readFileSync(join(directory, name)))]),
    ),
  };
}

const fileOf = (type: string, content: Buffer): PageFile => ({ type, content, compressed: gzipSync(content) });
