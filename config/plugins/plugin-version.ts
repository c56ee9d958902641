import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FoundPlugin } from './find-plugin.ts';

/**
 * The version of a plugin: that of its package, and for a plugin from elsewhere also a hash of its file, since a plugin
 * under development changes without a new version.
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
