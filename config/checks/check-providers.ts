import type { TObject } from 'typebox';
import { firstOf, moreFindings, mostFindings, type Finding } from '../../core/contract/findings.ts';
import type { ProviderInstance } from '../../core/model/provider-instance.ts';
import type { ProviderType } from '../../core/contract/provider.ts';
import { notContributed } from '../plugins/contributed-by.ts';
import { compile } from '../../core/schema/compile.ts';
import { nearest } from '../../core/schema/spelling.ts';
import type { TemplateReview } from '../../core/templates/review.ts';
import { isObject } from '../../core/schema/is-object.ts';
import { ProviderEntry } from '../schema.ts';

export interface CheckedProviders {
  /** The entries that can be read as such, in order. */
  readonly providers: readonly ProviderInstance[];
  /** Below `/providers`. */
  readonly findings: readonly Finding[];
  /** The same by entry: paths begin there. */
  readonly by_entry: readonly (readonly Finding[])[];
}

/** The type of this name or alias among the loaded ones. */
export const typeNamed = (types: readonly ProviderType<any, any>[], name: unknown): ProviderType<any, any> | undefined =>
  types.find((type) => type.type === name || type.aliases?.includes(String(name)));

/**
 * Checks provider entries with the schemas of their types: unknown and missing fields, `config`, `template_defaults`, unknown types, names
 * used twice. All findings at once; with `most` so many of all entries together, and of an entry beyond them only that something is wrong.
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
    findings: checked.flatMap(({ findings }, index) => findings.map((each) => ({ ...each, path: `/providers/${index}${each.path}` }))),
  };
}

interface CheckedEntry {
  readonly provider?: ProviderInstance;
  readonly findings: readonly Finding[];
}

/** `first`: which entry has its name already. */
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
  // Defaults have no id of their own.
  const wrong = review.check({ ...defaults.fields, template_id: 'defaults' }, 'all', most);
  const findings = [
    ...(parsed.findings ?? []),
    ...(first === undefined ? [] : [error('/name', `'${String(given['name'])}' is the name of /providers/${first} already`)]),
    ...(type || typeof given['type'] !== 'string' ? [] : [error('/type', unknownType(given['type'], types))]),
    ...below('/config', checked.findings),
    ...below('/template_defaults', [...defaults.findings, ...wrong]),
  ];
  const entry = parsed.value;
  return {
    ...(entry ? { provider: { ...entry, type: type?.type ?? entry.type, config: checked.value, template_defaults: defaults.fields } } : {}),
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
 * One provider configuration by the schema of its type. Unknown keys are kept, with a warning; `most` of them are looked at. `value` is as given when
 * something is wrong.
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
  const strange = Object.keys(given).filter((name) => !Object.hasOwn(schema.properties, name));
  const unknown = strange.slice(0, most).map((name): Finding => {
    const near = nearest(name, known);
    return { level: 'warning', path: `/${name}`, message: `unknown field, kept as it is${near ? `; did you mean '${near}'?` : ''}` };
  });
  if (strange.length > most) unknown.push(moreFindings(strange.length - most, 'warning'));
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
