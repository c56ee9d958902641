import type { TObject } from 'typebox';
import { firstOf, moreFindings, mostFindings, type Finding } from '../../core/contract/findings.ts';
import type { ProviderInstance } from '../../core/model/provider-instance.ts';
import type { ProviderType } from '../../core/contract/provider/provider-type.ts';
import { notContributed } from '../plugins/contributed-by.ts';
import { compile } from '../../core/schema/compile.ts';
import { nearest } from '../../core/schema/spelling.ts';
import type { TemplateReview } from '../../core/templates/review.ts';
import { isObject } from '../../core/schema/is-object.ts';
import { ProviderEntry } from '../schema.ts';

export interface CheckedProviders {
  /** The entries that have the shape of a provider entry, in the order of the configuration. */
  readonly providers: readonly ProviderInstance[];
  /** Paths begin with `/providers/<index>`. */
  readonly findings: readonly Finding[];
  /** The same findings, one list per entry. Paths are relative to the entry. */
  readonly by_entry: readonly (readonly Finding[])[];
}

/** Returns the provider type whose name or alias is `name`; undefined when no loaded plugin contributes it. */
export const typeNamed = (
  types: readonly ProviderType<any, any>[],
  name: unknown,
): ProviderType<any, any> | undefined =>
  types.find((type) => type.type === name || type.aliases?.includes(String(name)));

/**
 * Checks provider entries with the schemas of their types: unknown and missing fields, `config`, `template_defaults`,
 * unknown types and duplicate names. Returns all findings at once. `most` bounds the number of findings of all entries
 * together; an entry beyond the bound only reports that it is wrong.
 */
export function checkProviders(
  entries: readonly unknown[],
  types: readonly ProviderType<any, any>[],
  review: TemplateReview,
  most = Infinity,
): CheckedProviders {
  let left = most;
  const names = new Map<unknown, number>();
  const checked = entries.map((raw, index): CheckedEntry => {
    const { name } = isObject(raw) ? raw : {};
    const first = name === undefined ? undefined : names.get(name);
    if (first === undefined) names.set(name, index);
    const entry = checkEntry(raw, first, types, review, Math.min(mostFindings, left));
    left = Math.max(0, left - entry.findings.filter(({ more }) => more === undefined).length);
    return entry;
  });
  return {
    providers: checked.flatMap(({ provider }) => provider ?? []),
    by_entry: checked.map(({ findings }) => findings),
    findings: checked.flatMap(({ findings }, index) =>
      findings.map((each) => ({ ...each, path: `/providers/${index}${each.path}` })),
    ),
  };
}

interface CheckedEntry {
  readonly provider?: ProviderInstance;
  readonly findings: readonly Finding[];
}

/** `first`: the index of the earlier entry with the same name. */
function checkEntry(
  raw: unknown,
  first: number | undefined,
  types: readonly ProviderType<any, any>[],
  review: TemplateReview,
  most: number,
): CheckedEntry {
  const parsed = compile(ProviderEntry).parse(raw, { most });
  const given = compile(ProviderEntry).canonical(raw).value;
  if (!isObject(given)) return { findings: parsed.findings ?? [] };
  const type = typeNamed(types, given['type']);
  const config = isObject(given['config']) ? given['config'] : {};
  const checked = type ? checkProviderConfig(type, config, most) : { value: config, findings: [] };
  const defaults = review.canonical(isObject(given['template_defaults']) ? given['template_defaults'] : {});
  // Template defaults have no id of their own.
  const wrong = review.check({ ...defaults.fields, template_id: 'defaults' }, 'all', most);
  const findings = [
    ...(parsed.findings ?? []),
    ...(first === undefined
      ? []
      : [error('/name', `'${String(given['name'])}' is already the name of /providers/${first}`)]),
    ...(type || typeof given['type'] !== 'string' ? [] : [error('/type', unknownType(given['type'], types))]),
    ...below('/config', checked.findings),
    ...below('/template_defaults', [...defaults.findings, ...wrong]),
  ];
  const entry = parsed.value;
  return {
    ...(entry
      ? {
          provider: {
            ...entry,
            type: type?.type ?? entry.type,
            config: checked.value,
            template_defaults: defaults.fields,
          },
        }
      : {}),
    findings: firstOf(findings, most),
  };
}

const error = (path: string, message: string): Finding => ({ level: 'error', path, message });
const below = (path: string, findings: readonly Finding[]): readonly Finding[] =>
  findings.map((finding) => ({ ...finding, path: `${path}${finding.path}` }));
const unknownType = (name: string, types: readonly ProviderType<any, any>[]): string =>
  notContributed(
    'provider type',
    name,
    types.map((each) => each.type),
  );

/**
 * Checks one provider configuration with the schema of its type. Unknown keys are kept and reported as warnings, at
 * most `most` of them. `value` is the input in canonical spelling when the configuration has errors.
 */
export function checkProviderConfig(
  type: ProviderType<any, any>,
  config: Readonly<Record<string, unknown>>,
  most = mostFindings,
): { readonly value: Readonly<Record<string, unknown>>; readonly findings: readonly Finding[] } {
  const schema = openOf(type.config as TObject);
  const { value, findings = [] } = compile(schema).parse(config, { most });
  const known = Object.keys(schema.properties);
  const given = compile(schema).canonical(config).value as Record<string, unknown>;
  const unknownNames = Object.keys(given).filter((name) => !Object.hasOwn(schema.properties, name));
  const unknown = unknownNames.slice(0, most).map((name): Finding => {
    const near = nearest(name, known);
    return {
      level: 'warning',
      path: `/${name}`,
      message: `unknown field, kept as it is${near ? `; did you mean '${near}'?` : ''}`,
    };
  });
  if (unknownNames.length > most) unknown.push(moreFindings(unknownNames.length - most, 'warning'));
  return {
    value: (value ?? given) as Readonly<Record<string, unknown>>,
    findings: [...findings, ...unknown, ...misspelledValues(schema, given)],
  };
}

/**
 * Warns of values that resemble a known value (`known_values`) without being one. A value that resembles none may be
 * new and is accepted.
 */
function misspelledValues(schema: TObject, given: Readonly<Record<string, unknown>>): Finding[] {
  const properties = schema.properties as Readonly<Record<string, { readonly known_values?: readonly string[] }>>;
  return Object.entries(properties).flatMap(([name, { known_values = [] }]): Finding[] => {
    const value = given[name];
    if (typeof value !== 'string' || known_values.length === 0 || known_values.includes(value)) return [];
    const near = nearest(value, known_values);
    return near
      ? [{ level: 'warning', path: `/${name}`, message: `'${value}' is not a known value; did you mean '${near}'?` }]
      : [];
  });
}

const opened = new WeakMap<TObject, TObject>();

/** The schema with additional properties allowed, also when the plugin did not allow them. Cached per schema. */
function openOf(schema: TObject): TObject {
  const known = opened.get(schema) ?? ({ ...schema, additionalProperties: true } as unknown as TObject);
  opened.set(schema, known);
  return known;
}
