/**
 * Bundles the operator's page, host/page, into a script and a style sheet whose names contain a hash of their content,
 * and the document that loads them. Writes to bundled/page, or to the directory of the argument. Running servers read
 * these files once: old ones are removed only after the new document stands.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { licenceTexts } from './bundles/licence-texts.ts';
import { putFile } from './bundles/put-file.ts';

const root = join(import.meta.dirname, '..');
const sources = join(root, 'host/page');
/** The libraries inside the script. Their licences stand beside it. */
const libraries = ['preact', '@preact/signals', '@preact/signals-core'];

/** Bundles the page into the directory `to`. False: rolldown or a library is not installed, and nothing is written. */
export async function bundlePage(to: string): Promise<boolean> {
  const bundler = await import('rolldown').catch(() => undefined);
  if (!bundler || !libraries.every((name) => existsSync(join(root, 'node_modules', name)))) return false;
  const built = await bundler.rolldown({
    input: join(sources, 'main.tsx'),
    platform: 'browser',
    tsconfig: false,
    logLevel: 'warn',
    transform: {
      target: ['es2023', 'chrome123', 'firefox121', 'safari17.5'],
      jsx: { runtime: 'automatic', importSource: 'preact' },
    },
  });
  const { output } = await built.generate({ format: 'esm', minify: true, comments: false, codeSplitting: false });
  await built.close();
  const script = output[0].code;
  const style = styleSheet();
  const files = { [`main-${hashOf(script)}.js`]: script, [`page-${hashOf(style)}.css`]: style };
  const [scriptName = '', styleName = ''] = Object.keys(files);
  const html = readFileSync(join(sources, 'index.html'), 'utf8')
    .replace('{{script}}', scriptName)
    .replace('{{style}}', styleName);
  mkdirSync(to, { recursive: true });
  for (const [name, content] of Object.entries(files)) putFile(to, name, content);
  putFile(to, 'LICENSES.txt', licenceTexts(libraries.map((name) => join(root, 'node_modules', name))));
  putFile(to, 'index.html', html);
  const kept = new Set(['index.html', 'LICENSES.txt', ...Object.keys(files)]);
  for (const name of readdirSync(to)) if (!kept.has(name) && !name.startsWith('.')) rmSync(join(to, name));
  return true;
}

/** The style sheets that `page.css` imports, one after the other, without comments and indentation. */
function styleSheet(): string {
  const design = join(sources, 'design');
  return readFileSync(join(design, 'page.css'), 'utf8')
    .replaceAll(/@import "\.\/(.+?)";/g, (_, name: string) => readFileSync(join(design, name), 'utf8'))
    .replaceAll(/\/\*[^]*?\*\//g, '')
    .replaceAll(/\s*\n\s*/g, '\n');
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);

if (import.meta.main) {
  const done = await bundlePage(process.argv[2] ?? join(root, 'bundled/page'));
  if (!done) {
    process.stderr.write('rolldown, or a library of the page, is not installed: /ui/ says so instead of the page.\n');
    // A build cannot do without; an install can.
    process.exitCode = process.argv[2] === undefined ? 0 : 1;
  }
}
