import { hint } from '../../core/schema/spelling.ts';
import { isBuiltIn } from './find-plugin.ts';

/** What the built-in plugin is called that brings something of this name, where there is one. */
const builtIn = {
  storage: (name: string) => `storage-${name}`,
  'scheduler strategy': (name: string) => (name === 'lsf' ? 'hostfactory-format' : `${name}-format`),
  'provider type': (name: string) => name,
} as const;

/** Says that no loaded plugin brings something, and what may help: the built-in plugin that would, else a name that was perhaps meant. */
export function notContributed(what: keyof typeof builtIn, name: string, known: readonly string[]): string {
  const plugin = builtIn[what](name);
  const advice = isBuiltIn(plugin) ? `; add '${plugin}' to plugins` : hint(name, known);
  return `no loaded plugin brings the ${what} '${name}'${advice}`;
}
