/**
 * Removes what only building reads from an install without development dependencies: the bundler, 24 MB, whose work is
 * done, and source maps, 18 MB. The bundler is an optional dependency, which may be absent. `npm ci` brings all of it
 * back, and `npm install` the bundler. Each file is one of its package alone, so that nothing else misses it.
 */
import { existsSync, globSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const modules = join(import.meta.dirname, '../node_modules');
const isForProduction = !existsSync(join(modules, 'typescript'));
if (isForProduction)
  for (const unread of globSync(
    ['rolldown', '@rolldown', '@oxc-project', '.bin/rolldown', '**/*.{js,cjs,mjs,ts,mts,cts,css}.map'],
    { cwd: modules },
  ))
    rmSync(join(modules, unread), { recursive: true, force: true });
