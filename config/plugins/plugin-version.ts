import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FoundPlugin } from './find-plugin.ts';

/**
 * The version of a plugin: that of its package. A plugin that is not part of muster gets a hash of its file too, since
 * it may change without a new version while it is developed.
 */
export function pluginVersion({ source, file }: FoundPlugin): string | undefined {
  if (file === undefined) return undefined;
  const version = packageVersion(dirname(file)) ?? '0.0.0';
  if (source === 'built-in') return version;
  return `${version}+${createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 12)}`;
}

/** The version in the nearest package.json that has one. */
function packageVersion(directory: string): string | undefined {
  try {
    const { version } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as { version?: unknown };
    if (typeof version === 'string') return version;
  } catch {
    // There is none, or it cannot be read.
  }
  const above = dirname(directory);
  return above === directory ? undefined : packageVersion(above);
}
