/**
 * Removes the C headers of the pinned Node, 67 MB, after an install: they serve to compile native add-ons, and muster
 * has none. Each is a file of the package alone, so that nothing else misses it. /
 */
import { globSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const modules = join(import.meta.dirname, '../node_modules');
for (const headers of globSync('node-{linux,win}-*/include', { cwd: modules }))
  rmSync(join(modules, headers), { recursive: true, force: true });
