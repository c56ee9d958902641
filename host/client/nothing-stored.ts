import { lstatSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { LoadedConfiguration } from '../../config/load.ts';
import { isPathField } from '../../config/sources/paths.ts';

/** Whether the storage of a configuration keeps files and none of them exists yet: a read need not create them. */
export function nothingStored({ configuration, plugins }: LoadedConfiguration): boolean {
  const { type, ...options } = configuration.storage as Readonly<Record<string, unknown>>;
  const driver = plugins.flatMap((plugin) => plugin.storages ?? []).find((each) => each.type === type);
  const fields = (driver?.options.properties ?? {}) as Readonly<Record<string, { readonly path?: boolean }>>;
  const files = Object.entries(options).filter(
    ([name, value]) => isPathField(name, fields[name] ?? {}) && isAbsolute(String(value)),
  );
  return files.length > 0 && files.every(([, file]) => isMissing(String(file)));
}

/** A file that cannot be examined counts as existing: opening it reports the error. */
function isMissing(file: string): boolean {
  try {
    lstatSync(file);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}
