import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Creates a file with this content as JSON. False: the file exists already and does not change. No reader ever sees a
 * part of the content.
 */
export function createOnce(file: string, content: object): boolean {
  const draft = `${file}.${Math.random().toString(36).slice(2)}`;
  try {
    writeFileSync(draft, JSON.stringify(content), { flag: 'wx', mode: 0o600 });
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The content that `createOnce` wrote; undefined: the file does not exist. */
export function readOnce<T extends object>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
