/**
 * Bundles the operator's page, host/page, into a script and a style sheet whose names contain a hash of their content,
 * and the document that loads them. Writes to bundled/page, or to the directory of the argument. Running servers read
 * these files once: old ones are removed only after the new document stands.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { licenceTexts } from './bundles/licence-texts.ts';
import { putFile } from './bundles/put-file.ts';

const root = join(import.meta.dirname, '..');
const sources = join(root, 'host/page');
/** The libraries inside the script. Their licences stand beside it. */
const libraries = ['preact', '@preact/signals', '@preact/signals-core'];

/** Bundles the page into the directory `to`. False: esbuild or a library is not installed, and nothing is written. */
export async function bundlePage(to: string): Promise<boolean> {
  const esbuild = await import('esbuild').catch(() => undefined);
  if (!esbuild || !libraries.every((name) => existsSync(join(root, 'node_modules', name)))) return false;
  const { outputFiles } = await esbuild.build({
    entryPoints: [join(sources, 'main.tsx'), join(sources, 'design/page.css')],
    outdir: to,
    entryNames: '[name]-[hash]',
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: ['es2023', 'chrome123', 'firefox121', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    tsconfigRaw: {},
    logLevel: 'error',
  });
  const nameOf = (end: string): string => basename(outputFiles.find(({ path }) => path.endsWith(end))?.path ?? '');
  const html = readFileSync(join(sources, 'index.html'), 'utf8')
    .replace('{{script}}', nameOf('.js'))
    .replace('{{style}}', nameOf('.css'));
  mkdirSync(to, { recursive: true });
  for (const { path, contents } of outputFiles) putFile(to, basename(path), contents);
  putFile(to, 'LICENSES.txt', licenceTexts(libraries.map((name) => join(root, 'node_modules', name))));
  putFile(to, 'index.html', html);
  const kept = new Set(['index.html', 'LICENSES.txt', ...outputFiles.map(({ path }) => basename(path))]);
  for (const name of readdirSync(to)) if (!kept.has(name) && !name.startsWith('.')) rmSync(join(to, name));
  return true;
}

if (import.meta.main) {
  const done = await bundlePage(process.argv[2] ?? join(root, 'bundled/page'));
  if (!done) {
    process.stderr.write('esbuild, or a library of the page, is not installed: /ui/ says so instead of the page.\n');
    // A build cannot do without; an install can.
    process.exitCode = process.argv[2] === undefined ? 0 : 1;
  }
}
