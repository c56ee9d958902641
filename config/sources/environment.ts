import envVar from 'env-var';
import type { TObject, TSchema } from 'typebox';
import { firstOf, mostFindings, sentences, type Finding } from '../../core/contract/findings.ts';
import type { ResolvedEnvironment } from '../../core/operations/providers/configuration-checks.ts';
import type { ProviderType } from '../../core/contract/provider/provider-type.ts';
import { compile } from '../../core/schema/compile.ts';
import { convertText } from '../../core/schema/convert.ts';
import { conversionPlanOf, type ConversionPlan } from '../../core/schema/conversion-plan.ts';
import { rename } from '../../core/schema/rename.ts';
import { nearest } from '../../core/schema/spelling.ts';
import { isObject } from '../../core/schema/is-object.ts';
import { nearestUp } from './layers.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The prefix of every environment variable that muster reads. */
export const prefix = 'MUSTER_';

/** `cloud` → `MUSTER_CLOUD_`. */
export const prefixOf = (section: string): string => `${prefix}${section.toUpperCase().replace(/[^A-Z0-9]/g, '_')}_`;

/** The result of reading the variables with one prefix. */
export interface Variables {
  /** Values in the shape of the schema; only variables that are set and valid. */
  readonly tree: Record<string, unknown>;
  /** The variable of each value that was set, by JSON pointer. */
  readonly names: ReadonlyMap<string, string>;
  readonly recognized: readonly string[];
  /** Variables with the prefix that name no field. */
  readonly unknown: readonly Finding[];
  /**
   * Variables whose text is not a valid value of their field. `path` is the JSON pointer of the field, `file` names
   * the variable.
   */
  readonly invalid: readonly (Finding & { readonly variable: string })[];
}

/**
 * Reads variables of the form `<PREFIX><FIELD>`, with `__` between nested fields. Objects and lists are JSON text;
 * lists may also be separated by commas. `null` means null when the schema allows it; an empty text counts as not set.
 * Variables of nested fields take precedence over the JSON text of their parent.
 */
export function readVariables(schema: TSchema, under: string, environment: Environment): Variables {
  const plan = conversionPlanOf(schema);
  const fields = fieldsByVariable(plan);
  const tree: Record<string, unknown> = {};
  const names = new Map<string, string>();
  const recognized: string[] = [];
  const unknown: Finding[] = [];
  const invalid: (Finding & { variable: string })[] = [];
  let known: readonly string[] | undefined;
  // In sorted order `X` comes before `X__Y`: the JSON text of the parent first, then the nested fields.
  for (const variable of Object.keys(environment).toSorted()) {
    const text = environment[variable];
    if (!variable.startsWith(under) || text === undefined || text === '') continue;
    const found = fieldAt(fields, variable.slice(under.length));
    if (!found) {
      unknown.push({
        level: 'warning',
        path: '',
        file: `environment variable ${variable}`,
        message: `no field has this name${unknown.length < mostFindings ? suggestion((known ??= variablesOf(plan)), under, variable) : ''}`,
      });
      continue;
    }
    const pointer = `/${found.path.join('/')}`;
    try {
      set(tree, found.path, read(found.plan, variable, text));
      names.set(pointer, variable);
      recognized.push(variable);
    } catch (error) {
      const message = (error instanceof Error ? error.message : String(error)).replace(/^env-var: "[^"]*" /, '');
      invalid.push({ level: 'error', path: pointer, file: `environment variable ${variable}`, message, variable });
    }
  }
  return { tree, names, recognized, unknown, invalid };
}

/** Resolves the configuration of a provider type from environment variables alone. Does not mask secrets. */
export function resolve(type: ProviderType<any, any>, environment: Environment): ResolvedEnvironment {
  const { config } = type as ProviderType<TObject>;
  const read = readVariables(config, prefixOf(type.type), environment);
  const bad = new Map(read.invalid.map(({ variable, message }) => [variable, message]));
  const errors: string[] = [];
  for (const { path, message } of compile(config).parse(read.tree).findings ?? []) {
    const variable = nearestUp(read.names, path);
    if (variable) bad.set(variable, path === pointerOf(read.names, variable) ? message : `${path}: ${message}`);
    else errors.push(`${path}: ${message}`);
  }
  const good = Object.fromEntries(Object.entries(environment).filter(([name]) => !bad.has(name)));
  const tree = readVariables(config, prefixOf(type.type), good).tree;
  const recognized = read.recognized.filter((name) => !bad.has(name));
  const used = new Set(recognized);
  return {
    resolved: withDefaults(config, tree),
    recognized,
    ignored: Object.keys(environment).filter((name) => !used.has(name) && !bad.has(name)),
    invalid: [...bad.keys()].toSorted(),
    errors: [...[...bad].map(([variable, message]) => `${variable}: ${message}`), ...errors],
    warnings: firstOf(read.unknown).map(({ file, message }) =>
      file ? `${file.replace('environment variable ', '')}: ${message}` : message,
    ),
  };
}

const pointerOf = (names: ReadonlyMap<string, string>, variable: string): string | undefined =>
  [...names].find(([, name]) => name === variable)?.[0];

/** Fills in defaults. A required field may be absent, since the file may set it. */
function withDefaults(config: TObject, tree: Record<string, unknown>): Readonly<Record<string, unknown>> {
  const optional = { ...config, required: [] } as unknown as TObject;
  const parsed = compile(optional).parse(tree);
  return isObject(parsed.value) ? parsed.value : tree;
}

/** A field, found by the parts of its variable name in constant time: a caller may send fifty thousand variables. */
interface ByVariable {
  readonly plan: ConversionPlan;
  readonly name: string;
  readonly below: FieldsByVariable;
}
type FieldsByVariable = ReadonlyMap<string, ByVariable>;

/** When two fields have the same variable form, the first field gets it. */
const fieldsByVariable = ({ fields = new Map() }: ConversionPlan): FieldsByVariable =>
  new Map(
    [...fields]
      .toReversed()
      .map(([name, plan]) => [variableForm(name), { plan, name, below: fieldsByVariable(plan) }]),
  );

function fieldAt(
  fields: FieldsByVariable,
  rest: string,
): { readonly path: readonly string[]; readonly plan: ConversionPlan } | undefined {
  let at: ByVariable | undefined;
  const path: string[] = [];
  for (const step of rest.split('__')) {
    at = (at?.below ?? fields).get(step);
    if (!at) return undefined;
    path.push(at.name);
  }
  return at && { path, plan: at.plan };
}

const variableForm = (name: string): string => name.toUpperCase().replace(/[^A-Z0-9]/g, '_');

function suggestion(known: readonly string[], under: string, variable: string): string {
  const near = nearest(variable.slice(under.length), known);
  return near ? `; did you mean ${under}${near.toUpperCase()}?` : '';
}

/** The variables that a schema accepts, in lower case and without the prefix. */
function variablesOf(plan: ConversionPlan, under = ''): string[] {
  return [...(plan.fields ?? [])].flatMap(([name, field]) => {
    const variable = `${under}${variableForm(name).toLowerCase()}`;
    return [variable, ...variablesOf(field, `${variable}__`)];
  });
}

function read(plan: ConversionPlan, variable: string, text: string): unknown {
  const { types } = plan;
  if (types.has('null') && text === 'null') return null;
  const leaf = envVar.from({ [variable]: text }).get(variable);
  if (types.has('string')) return leaf.asString();
  if (types.has('boolean')) return leaf.asBool();
  if (types.has('integer') && !types.has('number')) return leaf.asInt();
  if (types.has('number')) return leaf.asFloat();
  if (types.has('array') && text.trim().startsWith('[')) return canonical(plan, leaf.asJsonArray());
  if (types.has('array')) return convertText(plan, text);
  if (types.has('object')) return canonical(plan, leaf.asJsonObject());
  return leaf.asString();
}

/** JSON in the canonical spelling of the schema, so that values of other sources merge under the same names. */
function canonical(plan: ConversionPlan, value: unknown): unknown {
  const findings: Finding[] = [];
  const spelled = rename(plan, value, '', findings);
  if (findings.length > 0) throw new Error(sentences(findings));
  return spelled;
}

function set(tree: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let at = tree;
  for (const step of path.slice(0, -1)) {
    const next = isObject(at[step]) ? at[step] : {};
    at[step] = next;
    at = next;
  }
  const last = path.at(-1);
  if (last !== undefined) at[last] = value;
}
