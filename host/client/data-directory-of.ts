import { dirname, join, resolve } from 'node:path';
import { configurationDirectory } from '../../config/sources/search-places.ts';

/**
 * Returns the data directory of the current configuration. Does not read the configuration, which would take longer
 * than a call.
 */
export function dataDirectoryOf(config: string | undefined): string {
  const { MUSTER_DATA_DIR: moved, MUSTER_CONFIG: named } = process.env;
  if (moved) return resolve(moved);
  const file = config ?? (named || undefined);
  return join(file === undefined ? configurationDirectory(process.cwd()) : dirname(resolve(file)), 'data');
}
