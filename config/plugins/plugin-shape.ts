import { isObject } from '../../core/schema/is-object.ts';
import type { Plugin } from '../../core/contract/plugin.ts';
import { shown } from '../../core/providers/answer-checks/contract-violation.ts';
import { soundCapabilities } from '../../core/providers/answer-checks/capabilities.ts';

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
    if (nameless) return `has a ${what} in '${list}' without '${key}'. Name it.`;
  }
  return schemaProblem(plugin) ?? capabilityProblem(plugin) ?? checksProblem(plugin) ?? valueProblem(plugin);
}

/** The schemas of a plugin's lists: of the fields that a person writes. */
const schemas = [
  ['providers', 'provider type', 'type', 'config'],
  ['storages', 'storage', 'type', 'options'],
  ['eventSinkTypes', 'event sink type', 'type', 'options'],
  ['providerApis', 'provider API', 'name', 'fields'],
] as const;

/** Returns which schema describes no object: fields are read one by one. Only an API may have no fields. */
function schemaProblem(plugin: Plugin): string | undefined {
  for (const [list, what, key, member] of schemas)
    for (const entry of (plugin[list] ?? []) as readonly unknown[] as readonly Entry[]) {
      const schema = entry[member];
      if (schema === undefined && list === 'providerApis') continue;
      if (isObject(schema) && isObject(schema['properties'])) continue;
      return `has a ${what} '${String(entry[key])}' whose '${member}' is no schema of an object. Make it a Type.Object of its fields.`;
    }
  return undefined;
}

/** Returns why the checks of a provider type are wrong: the doctor alone runs them, but every session has them. */
function checksProblem({ providers = [] }: Plugin): string | undefined {
  for (const { type, checks } of providers) {
    if (checks === undefined) continue;
    if (!Array.isArray(checks))
      return `has a provider type '${type}' with 'checks' that are not a list. Make it a list.`;
    const at = checks.findIndex((check: Entry | null | undefined) => {
      const named = check && [check['name'], check['why'], check['remedy']].every((text) => isShortText(text));
      return !named || typeof check['run'] !== 'function';
    });
    if (at >= 0)
      return `has a provider type '${type}' whose checks[${at}] has no name, why and remedy of 1 to ${longestText} characters, or no run. Add them.`;
  }
  return undefined;
}

const longestText = 1_000;
const isShortText = (text: unknown): boolean => typeof text === 'string' && text !== '' && text.length <= longestText;

/** Returns which single value of a strategy or a storage nothing could work with. */
function valueProblem({ schedulers = [], storages = [] }: Plugin): string | undefined {
  for (const { name, media_type } of schedulers as readonly { name: string; media_type?: unknown }[])
    if (media_type !== undefined && !(typeof media_type === 'string' && /^[\w.+-]+\/[\w.+-]+ *(;|$)/.test(media_type)))
      return `has a scheduler strategy '${name}' whose media_type is ${shown(media_type)}. Make it a media type like 'text/plain'.`;
  for (const { type, lease_ms } of storages as readonly { type: string; lease_ms?: unknown }[])
    if (lease_ms !== undefined && !(typeof lease_ms === 'number' && lease_ms > 0 && Number.isFinite(lease_ms)))
      return `has a storage '${type}' whose lease_ms is ${shown(lease_ms)}. Make it a time in milliseconds above 0.`;
  return undefined;
}

/** Returns why the capabilities of a provider API are wrong. `missingMembers` reports absent capabilities. */
function capabilityProblem({ providerApis = [] }: Plugin): string | undefined {
  for (const { name, capabilities } of providerApis) {
    if (capabilities === undefined) continue;
    try {
      soundCapabilities(capabilities);
    } catch (error) {
      return `has a provider API '${name}' whose ${(error as Error).message}. Correct its capabilities; defineProviderApi adds those that have defaults.`;
    }
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
