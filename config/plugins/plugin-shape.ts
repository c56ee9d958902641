import type { Plugin } from '../../core/contract/plugin.ts';
import { withArticle } from '../../core/texts/with-article.ts';

/**
 * The lists of a plugin: the field, the noun for an entry, the field that names an entry, and the members that an
 * entry requires.
 */
const lists = [
  ['providers', 'provider type', 'type', ['config', 'connect']],
  ['providerApis', 'provider API', 'name', ['type', 'capabilities', 'launch', 'observe', 'release']],
  ['schedulers', 'scheduler strategy', 'name', ['requested', 'returned', 'status', 'listed', 'templates', 'reclaims']],
  ['storages', 'storage', 'type', ['options', 'shared', 'open']],
  ['eventSinks', 'event sink', 'name', ['deliver']],
  ['eventSinkTypes', 'event sink type', 'type', ['options', 'open']],
  ['endpoints', 'endpoint scheme', 'scheme', ['open']],
  ['services', 'service', 'name', ['summary', 'settings']],
] as const;

type Entry = Readonly<Record<string, unknown>>;

/**
 * Returns why a plugin has no usable shape (no name, or a list field that is not a list), for plugins that no compiler
 * checked; undefined when the shape is right. The text continues `Plugin 'x' …`.
 */
export function shapeProblem(plugin: Plugin): string | undefined {
  const given = plugin as unknown as Entry;
  if (typeof given['name'] !== 'string' || given['name'] === '')
    return 'has no name of its own. Give it one in definePlugin.';
  for (const [list, what, key] of lists) {
    const entries = given[list];
    if (entries === undefined) continue;
    if (!Array.isArray(entries)) return `has a '${list}' that is not a list. Make it a list.`;
    const nameless = entries.some((entry: unknown) => typeof (entry as Entry | null)?.[key] !== 'string');
    if (nameless) return `has ${withArticle(what)} in '${list}' without '${key}'. Name it.`;
  }
  return undefined;
}

/** Returns one sentence for each entry that lacks members which its extension point requires. */
export const missingMembers = (plugin: Plugin): string[] =>
  lists.flatMap(([list, what, key, members]) =>
    ((plugin[list] ?? []) as readonly unknown[] as readonly Entry[]).flatMap((entry) => {
      const missing = members.filter((member) => entry[member] === undefined);
      if (missing.length === 0) return [];
      return [
        `Plugin '${plugin.name}' contributes the ${what} '${String(entry[key])}' without ${missing.join(', ')}. Add the members that its interface requires.`,
      ];
    }),
  );
