import envVar from 'env-var';
import type { TObject, TSchema } from 'typebox';
import { firstOf, mostFindings, sentences, type Finding } from '../../core/contract/findings.ts';
import type { ResolvedEnvironment } from '../../core/operations/providers/configuration-checks.ts';
import type { ProviderType } from '../../core/contract/provider.ts';
import { compile } from '../../core/schema/compile.ts';
import { convertText } from '../../core/schema/convert.ts';
import { conversionPlanOf, type ConversionPlan } from '../../core/schema/conversion-plan.ts';
import { rename } from '../../core/schema/rename.ts';
import { nearest } from '../../core/schema/spelling.ts';
import { isObject } from '../../core/schema/is-object.ts';
import { nearestUp } from './origins.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Begins the name of every variable that muster reads. */
export const prefix = 'MUSTER_';

/** `cloud` → `MUSTER_CLOUD_`. */
export const prefixOf = (section: string): string => `${prefix}${section.toUpperCase().replace(/[^A-Z0-9]/g, '_')}_`;

/** What the variables under one prefix say. */
export interface Variables {
  /** Values in the shape of the schema; only what is set and readable. */
  readonly tree: Record<string, unknown>;
  /** JSON pointer of each value that was set, with its variable. */
  readonly names: ReadonlyMap<string, string>;
  readonly recognized: readonly string[];
  /** Under the prefix, but no field has this name. */
  readonly unknown: readonly Finding[];
  /** A field has this name, and the text is not such a value. `path` is the pointer, `file` names the variable. */
  readonly invalid: readonly (Finding & { readonly variable: string })[];
}

/**
 * Reads `<PREFIX><FIELD>`, `__` between nested fields, JSON text for objects and lists (lists also with commas). `null` is null where the
 * schema allows it; an empty text counts as not set. Nested variables lie over the JSON text of their parent.
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
  // Sorted, `X` comes before `X__Y`: the parent's JSON first, then what lies over it.
  for (const variable of Object.keys(environment).toSorted()) {
    const text = environment[variable];
    if (!variable.startsWith(under) || text === undefined || text === '') continue;
    const found = fieldAt(fields, variable.slice(under.length));
    if (!found) {
      unknown.push({
        level: 'warning',
        path: '',
        file: `environment variable ${variable}`,
        message: `no field has this name${unknown.length < mostFindings ? meant((known ??= variablesOf(plan)), under, variable) : ''}`,
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

/** Resolves the configuration of a provider type from an environment alone. Nothing is masked. */
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

/** A required field may be absent here: the file has it. Then the rest is shown with its defaults all the same. */
function withDefaults(config: TObject, tree: Record<string, unknown>): Readonly<Record<string, unknown>> {
  const optional = { ...config, required: [] } as unknown as TObject;
  const parsed = compile(optional).parse(tree);
  return isObject(parsed.value) ? parsed.value : tree;
}

/** A field by the words of its variable: somebody may send fifty thousand variables. */
interface ByVariable {
  readonly plan: ConversionPlan;
  readonly name: string;
  readonly below: FieldsByVariable;
}
type FieldsByVariable = ReadonlyMap<string, ByVariable>;

/** Of two fields with one variable the first has it. */
const fieldsByVariable = ({ fields = new Map() }: ConversionPlan): FieldsByVariable =>
  new Map([...fields].toReversed().map(([name, plan]) => [variableForm(name), { plan, name, below: fieldsByVariable(plan) }]));

function fieldAt(fields: FieldsByVariable, rest: string): { readonly path: readonly string[]; readonly plan: ConversionPlan } | undefined {
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

function meant(known: readonly string[], under: string, variable: string): string {
  const near = nearest(variable.slice(under.length), known);
  return near ? `; did you mean ${under}${near.toUpperCase()}?` : '';
}

/** What every variable that a schema understands has after the prefix, in small letters. */
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

/** JSON in the spelling of the schema, so that what lies over or under it meets the same names. */
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
