import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { oneOfMany } from '../support/temporary-directory.ts';

const root = join(import.meta.dirname, '../..');
const script = 'scripts/drop-build-files.ts';

const build = ['rolldown/dist/index.mjs', '@rolldown/binding-linux-x64-gnu/rolldown.node', '.bin/rolldown'];
const maps = ['fastify/fastify.js.map', '@aws-sdk/client-ec2/dist-es/index.d.ts.map', 'a/node_modules/b/c.mjs.map'];
const kept = ['fastify/fastify.js', 'fastify/types.d.ts', 'sitemap/sitemap.json', 'a/treasure.map', 'a/index.cjs'];

/** A clone after `npm ci` with these files of packages, where the script has run. */
async function after(files: readonly string[]): Promise<string> {
  const directory = oneOfMany('muster-production-');
  for (const file of files) {
    mkdirSync(dirname(join(directory, 'node_modules', file)), { recursive: true });
    writeFileSync(join(directory, 'node_modules', file), '');
  }
  mkdirSync(join(directory, 'scripts'));
  cpSync(join(root, script), join(directory, script));
  await promisify(execFile)(process.execPath, [script], { cwd: directory });
  return join(directory, 'node_modules');
}

test('an install without development dependencies loses the bundler and the source maps, and nothing else', async (t) => {
  const modules = await after([...build, ...maps, ...kept]);
  t.deepEqual(
    [...build, ...maps].filter((file) => existsSync(join(modules, file))),
    [],
  );
  t.deepEqual(
    kept.filter((file) => !existsSync(join(modules, file))),
    [],
  );
  const all = [...build, ...maps, ...kept, 'typescript/package.json'];
  const whole = await after(all);
  t.deepEqual(
    all.filter((file) => !existsSync(join(whole, file))),
    [],
    'a clone for development keeps all',
  );
});
