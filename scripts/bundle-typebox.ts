/**
 * Bundles typebox, some 680 files, into a few: each file that Node loads costs memory and time in every thread. See
 * docs/decisions/typebox-in-a-few-files.md. Writes to bundled/typebox, or to the directory of the argument.
 */
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { moduleInput, moduleOutput } from './bundles/module-options.ts';

const root = join(import.meta.dirname, '..');
const from = join(root, 'node_modules/typebox');
const to = process.argv[2] ?? join(root, 'bundled/typebox');
const { version, exports } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')) as {
  version: string;
  exports: Record<string, { import: string }>;
};
const bundler = await import('rolldown').catch(() => undefined);
if (!bundler) {
  process.stderr.write(
    'rolldown is not installed: typebox stays in its many files, and a start takes about 100 ms longer.\n',
  );
  // A build cannot do without; an install can.
  process.exit(process.argv[2] === undefined ? 0 : 1);
}
const entries = Object.entries(exports).map(([path, { import: file }]) => ({
  path,
  name: path === '.' ? 'index' : path.slice(2),
  file,
}));

rmSync(to, { recursive: true, force: true });
const built = await bundler.rolldown({
  ...moduleInput,
  input: Object.fromEntries(entries.map(({ name, file }) => [name, join(from, file)])),
});
await built.write({ ...moduleOutput, dir: to, entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' });
await built.close();
copyFileSync(join(from, 'license'), join(to, 'LICENSE'));
const files = Object.fromEntries(entries.map(({ path, name }) => [`typebox${path.slice(1)}`, `${name}.mjs`]));
writeFileSync(join(to, 'files.json'), `${JSON.stringify({ version, files }, null, 2)}\n`);
