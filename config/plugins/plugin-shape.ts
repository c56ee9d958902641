import type { Plugin } from '../../core/contract/plugin.ts';
import { soundCapabilities } from '../../core/providers/answer-checks/capabilities.ts';

/** The lists of a plugin, what an entry is in words, the field that names it, and what it cannot do without. */
const lists = [
  ['providers', 'provider type', 'type', ['config', 'connect']],
  ['providerApis', 'provider API', 'name', ['type', 'capabilities', 'launch', 'observe', 'release']],
  ['schedulers', 'scheduler strategy', 'name', ['requested', 'returned', 'status', 'listed', 'templates', 'reclaims']],
  ['storages', 'storage', 'type', ['options', 'shared', 'open']],
  ['eventSinks', 'event sink', 'name', ['deliver']],
  ['endpoints', 'endpoint scheme', 'scheme', ['open']],
] as const;

type Entry = Readonly<Record<string, unknown>>;

/** What makes a plugin unreadable, where no compiler checked it: it has no name, or a list that is none. Continues `Plugin 'x' …`. */
export function unreadable(plugin: Plugin): string | undefined {
  const given = plugin as unknown as Entry;
  if (typeof given['name'] !== 'string' || given['name'] === '') return 'has no name of its own. Give it one in definePlugin.';
  for (const [list, what, key] of lists) {
    const entries = given[list];
    if (entries === undefined) continue;
    if (!Array.isArray(entries)) return `has '${list}' that are no list. Make them one.`;
    const nameless = entries.some((entry: unknown) => typeof (entry as Entry | null)?.[key] !== 'string');
    if (nameless) return `has a ${what} in '${list}' without '${key}'. Name it.`;
  }
  return unsound(plugin);
}

/** Capabilities that nothing can be ordered by. What is missing altogether is told apart. */
function unsound({ providerApis = [] }: Plugin): string | undefined {
  for (const { name, capabilities } of providerApis) {
    if (capabilities === undefined) continue;
    try {
      soundCapabilities(capabilities);
    } catch (error) {
      return `has a provider API '${name}' whose ${(error as Error).message}. Correct its capabilities.`;
    }
  }
  return undefined;
}

/** What an extension point asks for and an entry of the plugin does not have, each as a sentence. */
export const missingMembers = (plugin: Plugin): string[] =>
  lists.flatMap(([list, what, key, members]) =>
    ((plugin[list] ?? []) as readonly unknown[] as readonly Entry[]).flatMap((entry) => {
      const missing = members.filter((member) => entry[member] === undefined);
      if (missing.length === 0) return [];
      return [
        `Plugin '${plugin.name}' brings the ${what} '${String(entry[key])}' without ${missing.join(', ')}. Add what its interface asks for.`,
      ];
    }),
  );
