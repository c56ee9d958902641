import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes a file so that nobody ever reads a part of it. */
export function putFile(directory: string, name: string, content: string | Uint8Array): void {
  const draft = join(directory, `.${name}.${process.pid}`);
  writeFileSync(draft, content);
  renameSync(draft, join(directory, name));
}
