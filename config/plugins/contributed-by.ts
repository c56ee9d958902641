import { hint } from '../../core/schema/spelling.ts';
import { isBuiltIn } from './find-plugin.ts';

/** The name of the built-in plugin that would contribute something of this name. */
const builtIn = {
  storage: (name: string) => `storage-${name}`,
  'scheduler strategy': (name: string) => (name === 'lsf' ? 'hostfactory-format' : `${name}-format`),
  'provider type': (name: string) => name,
  'event sink type': (name: string) => `events-${name}`,
} as const;

/**
 * Returns the message that no loaded plugin contributes `name`, with advice: the built-in plugin that contributes it,
 * else the known name with the nearest spelling.
 */
export function notContributed(what: keyof typeof builtIn, name: string, known: readonly string[]): string {
  const plugin = builtIn[what](name);
  const advice = isBuiltIn(plugin) ? `; add '${plugin}' to plugins` : hint(name, known);
  return `no loaded plugin contributes the ${what} '${name}'${advice}`;
}
