import type { TObject } from 'typebox';
import type { Finding } from '../core/findings.ts';
import type { ProviderInstance } from '../core/model/provider-instance.ts';
import type { ProviderType } from '../core/provider.ts';
import { notBrought } from './brought-by.ts';
import { compile } from '../core/schema.ts';
import { nearest } from '../core/spelling.ts';
import type { TemplateReview } from '../core/templates/review.ts';
import { isObject } from './objects.ts';
import { ProviderEntry } from './schema.ts';

export interface CheckedProviders {
  /** The entries that can be read as such, in order. */
  readonly providers: readonly ProviderInstance[];
  /** Below `/providers`, or below what `at` says. */
  readonly findings: readonly Finding[];
}

/** The type of this name or alias among the loaded ones. */
export const typeNamed = (types: readonly ProviderType<any, any>[], name: unknown): ProviderType<any, any> | undefined =>
  types.find((type) => type.type === name || type.aliases?.includes(String(name)));

/**
 * Checks provider entries with the schemas of their types: unknown and missing fields, `config`, `template_defaults`, unknown types, names
 * used twice. All findings at once.
 */
export function checkProviders(
  entries: readonly unknown[],
  types: readonly ProviderType<any, any>[],
  review: TemplateReview,
): CheckedProviders {
  const findings: Finding[] = [];
  const names = new Map<unknown, number>();
  const providers = entries.flatMap((raw, index): ProviderInstance[] => {
    const at = `/providers/${index}`;
    const say = (level: Finding['level'], path: string, message: string) => findings.push({ level, path: `${at}${path}`, message });
    const parsed = compile(ProviderEntry).parse(raw);
    for (const { level, path, message } of parsed.findings ?? []) say(level, path, message);
    const given = compile(ProviderEntry).canonical(raw).value;
    if (!isObject(given)) return [];
    const { name } = given;
    const first = names.get(name);
    if (name !== undefined && first !== undefined) say('error', '/name', `'${String(name)}' is the name of /providers/${first} already`);
    else names.set(name, index);
    const type = typeNamed(types, given['type']);
    if (!type && typeof given['type'] === 'string') {
      const known = types.map((each) => each.type);
      say('error', '/type', notBrought('provider type', given['type'], known));
    }
    const config = isObject(given['config']) ? given['config'] : {};
    const checked = type ? checkProviderConfig(type, config) : { value: config, findings: [] };
    for (const { level, path, message } of checked.findings) say(level, `/config${path}`, message);
    const defaults = review.canonical(isObject(given['template_defaults']) ? given['template_defaults'] : {});
    // Defaults have no id of their own.
    const wrong = review.check({ ...defaults.fields, template_id: 'defaults' });
    for (const { level, path, message } of [...defaults.findings, ...wrong]) say(level, `/template_defaults${path}`, message);
    const entry = parsed.value;
    return entry ? [{ ...entry, type: type?.type ?? entry.type, config: checked.value, template_defaults: defaults.fields }] : [];
  });
  return { providers, findings };
}

/** One provider configuration by the schema of its type. Unknown keys are kept, with a warning. `value` is as given when something is wrong. */
export function checkProviderConfig(
  type: ProviderType<any, any>,
  config: Readonly<Record<string, unknown>>,
): { readonly value: Readonly<Record<string, unknown>>; readonly findings: readonly Finding[] } {
  const schema = openOf(type.config as TObject);
  const { value, findings = [] } = compile(schema).parse(config);
  const known = Object.keys(schema.properties);
  const given = compile(schema).canonical(config).value as Record<string, unknown>;
  const unknown = Object.keys(given).flatMap((name): Finding[] => {
    if (known.includes(name)) return [];
    const near = nearest(name, known);
    return [{ level: 'warning', path: `/${name}`, message: `unknown field, kept as it is${near ? `; did you mean '${near}'?` : ''}` }];
  });
  return { value: (value ?? given) as Readonly<Record<string, unknown>>, findings: [...findings, ...unknown, ...oddValues(schema, given)] };
}

/** Values near one that the schema knows (`known_values`), and not it. What is near none may be new. */
function oddValues(schema: TObject, given: Readonly<Record<string, unknown>>): Finding[] {
  const properties = schema.properties as Readonly<Record<string, { readonly known_values?: readonly string[] }>>;
  return Object.entries(properties).flatMap(([name, { known_values = [] }]): Finding[] => {
    const value = given[name];
    if (typeof value !== 'string' || known_values.length === 0 || known_values.includes(value)) return [];
    const near = nearest(value, known_values);
    return near ? [{ level: 'warning', path: `/${name}`, message: `'${value}' is none that is known; did you mean '${near}'?` }] : [];
  });
}

const opened = new WeakMap<TObject, TObject>();

/** Additional properties are always allowed, also where a plugin forgot to say so. */
function openOf(schema: TObject): TObject {
  const known = opened.get(schema) ?? ({ ...schema, additionalProperties: true } as unknown as TObject);
  opened.set(schema, known);
  return known;
}
