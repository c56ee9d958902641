import type { Plugin } from '../../core/contract/plugin.ts';
import { withArticle } from '../../core/texts/with-article.ts';
import { soundCapabilities } from '../../core/providers/answer-checks/capabilities.ts';
import { shown } from '../../core/providers/answer-checks/contract-violation.ts';
import { errorText } from '../../core/providers/answer-checks/thrown-error.ts';
import { isObject } from '../../core/schema/is-object.ts';
import { schemaDefect } from '../../core/schema/schema-defect.ts';

type Entry = Readonly<Record<string, unknown>>;

/**
 * Returns why muster could not work with what a plugin of a right shape declares: a schema of no object, capabilities,
 * checks or single values out of their bounds; undefined when all is right. The text continues `Plugin 'x' …`.
 */
export function declarationProblem(plugin: Plugin): string | undefined {
  try {
    return schemaProblem(plugin) ?? capabilityProblem(plugin) ?? checksProblem(plugin) ?? valueProblem(plugin);
  } catch (error) {
    return `declares something that cannot be read: ${errorText(error)}. Correct the plugin.`;
  }
}

/** The schemas of a plugin's lists: of the fields that a person writes. */
const schemas = [
  ['providers', 'provider type', 'type', 'config'],
  ['storages', 'storage', 'type', 'options'],
  ['eventSinkTypes', 'event sink type', 'type', 'options'],
  ['providerApis', 'provider API', 'name', 'fields'],
] as const;

/** Returns which schema is none of an object, whose fields are read one by one. Only an API may have no fields. */
function schemaProblem(plugin: Plugin): string | undefined {
  for (const [list, what, key, member] of schemas)
    for (const entry of (plugin[list] ?? []) as readonly unknown[] as readonly Entry[]) {
      const schema = entry[member];
      if (schema === undefined && list === 'providerApis') continue;
      const where = `has ${withArticle(what)} '${String(entry[key])}' whose '${member}'`;
      if (!isObject(schema) || !isObject(schema['properties']))
        return `${where} is no schema of an object. Make it a Type.Object of its fields.`;
      const defect = schemaDefect(schema);
      if (defect !== undefined) return `${where} ${defect}. Correct the schema.`;
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
