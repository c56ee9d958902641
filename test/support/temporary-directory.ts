import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory of its own, as the system names it. It goes with this process. */
export function temporaryDirectory(prefix: string): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), prefix)));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

const roots = new Map<string, string>();

/** One of many directories: they share one that goes with this process. */
export function oneOfMany(prefix: string): string {
  const root = roots.get(prefix) ?? temporaryDirectory(prefix);
  roots.set(prefix, root);
  return mkdtempSync(join(root, 'one-'));
}
