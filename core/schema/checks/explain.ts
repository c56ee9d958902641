import { isObject } from '../is-object.ts';
import { Settings } from 'typebox/system';
import { moreFindings, mostFindings, type Finding } from '../../contract/findings.ts';
import { withArticle } from '../../texts/with-article.ts';
import { hint } from '../spelling.ts';
import type { ConversionPlan } from '../conversion-plan.ts';

/** A validation error of typebox. */
interface SchemaError {
  readonly keyword: string;
  readonly schemaPath: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

// typebox stops at 8 errors by default. muster reports up to a hundred places, and some places have two errors.
Settings.Set({ maxErrors: 200 });

const longestPath = 300;

/**
 * Explains the errors of the validator: one finding for each place, at most `most`, and a last one with the number of
 * the rest. The function searches no hints for places that it does not report: a body may be wrong in a hundred
 * thousand places.
 */
export function explain(
  errors: readonly SchemaError[],
  plan: ConversionPlan,
  value: unknown,
  most = mostFindings,
): Finding[] {
  const findings = new Map<string, Finding>();
  const beyond = new Set<string>();
  const opened = new Set<string>();
  const choices = choicesIn(errors);
  let unnamed = 0;

  function add(path: string, say: () => string): void {
    if (findings.has(path)) return;
    if (findings.size >= most) return void beyond.add(path);
    // A name may be as long as a body, so the path is cut.
    findings.set(path, {
      level: 'error',
      path: path.length > longestPath ? `${path.slice(0, longestPath)}…` : path,
      message: say(),
    });
  }

  /** The validator reports unknown fields one by one, and all of them only when there are few. */
  function addUnknown(path: string, named: readonly string[]): void {
    if (opened.has(path)) return;
    opened.add(path);
    const around = planAt(plan, path);
    const here = valueAt(value, path);
    const { fields } = around ?? {};
    const names = fields && isObject(here) ? Object.keys(here).filter((name) => !fields.has(name)) : named;
    const reported = Math.max(0, most - findings.size);
    for (const name of names.slice(0, reported)) add(`${path}/${escape(name)}`, () => unknown(name, around));
    unnamed += Math.max(0, names.length - reported);
  }

  for (const error of errors) {
    const { keyword, instancePath: path } = error;
    const params = error.params as Record<string, any>;
    const choice = choices(path);
    if (keyword === 'boolean') {
      if (error.schemaPath.endsWith('/additionalProperties')) addUnknown(parent(path), [steps(path).at(-1) ?? '']);
    } else if (keyword === 'additionalProperties') addUnknown(path, params['additionalProperties'] as string[]);
    else if (keyword === 'required') {
      for (const name of params['requiredProperties'] as string[]) add(`${path}/${name}`, () => 'is required');
    } else if (choice?.allowed.length) {
      const orNull = planAt(plan, path)?.types.has('null') ? ' or null' : '';
      add(path, () => `must be one of ${choice.allowed.join(', ')}${orNull}`);
    } else if (choice && (verdicts.has(keyword) ? choice.closer : keyword === 'type')) continue;
    else add(path, () => messageOf(error, plan, value));
  }
  const more = beyond.size + unnamed;
  return more === 0 ? [...findings.values()] : [...findings.values(), moreFindings(more)];
}

/** The message for one place that is neither an unknown name nor a choice between values. */
function messageOf(error: SchemaError, plan: ConversionPlan, value: unknown): string {
  const { keyword, instancePath: path } = error;
  if (keyword === 'anyOf') {
    const at = planAt(plan, path);
    return `must be ${at ? expectedTypes(at) : 'another type'}, not ${kindOf(valueAt(value, path))}`;
  }
  if (keyword === 'enum' || keyword === 'const') return `must be one of ${allowedBy(error).join(', ')}`;
  if (keyword !== 'type') return error.message;
  return `must be ${withArticle(String((error.params as Record<string, any>)['type'] ?? ''))}, not ${kindOf(valueAt(value, path))}`;
}

const verdicts = new Set(['anyOf', 'boolean']);

/**
 * What the variants of a choice allow: the values that they name, and whether one of them has the right type and
 * failed for a more specific reason.
 */
interface Choice {
  readonly allowed: readonly string[];
  readonly closer: boolean;
}

/** Returns the choice at a path; undefined where there is none. */
function choicesIn(errors: readonly SchemaError[]): (path: string) => Choice | undefined {
  const found = new Map<string, Choice | undefined>();
  const places = new Set(errors.flatMap(({ keyword, instancePath }) => (keyword === 'anyOf' ? [instancePath] : [])));
  return (path) => {
    if (!places.has(path)) return undefined;
    if (!found.has(path)) found.set(path, choiceAt(path, errors));
    return found.get(path);
  };
}

function choiceAt(path: string, errors: readonly SchemaError[]): Choice {
  const here = errors.filter((error) => error.instancePath === path);
  return {
    allowed: here.flatMap(allowedBy),
    closer:
      here.some((error) => error.keyword !== 'type' && !verdicts.has(error.keyword)) ||
      errors.some((error) => error.instancePath.startsWith(`${path}/`)),
  };
}

function allowedBy({ keyword, params }: SchemaError): string[] {
  const { allowedValues, allowedValue } = params as { allowedValues?: readonly unknown[]; allowedValue?: unknown };
  return keyword === 'enum' || keyword === 'const' ? (allowedValues ?? [allowedValue]).map(String) : [];
}

const steps = (path: string): string[] =>
  path
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

const escape = (step: string): string => step.replaceAll('~', '~0').replaceAll('/', '~1');
const parent = (path: string): string => path.slice(0, path.lastIndexOf('/'));
const unknown = (name: string, around: ConversionPlan | undefined): string =>
  `unknown field${hint(name, [...(around?.fields?.keys() ?? [])])}`;

function planAt(plan: ConversionPlan, path: string): ConversionPlan | undefined {
  let at: ConversionPlan | undefined = plan;
  for (const step of steps(path)) at = at?.fields?.get(step) ?? at?.items;
  return at;
}

function valueAt(value: unknown, path: string): unknown {
  let at: any = value;
  for (const step of steps(path)) at = at?.[step];
  return at;
}
const expectedTypes = (plan: ConversionPlan): string =>
  [...plan.types].map((type) => (type === 'null' ? 'null' : withArticle(type))).join(' or ');

/** The type of a value, never the value itself, which may be a secret. */
function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'absent';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'number' && !Number.isInteger(value) ? 'a fraction' : withArticle(typeof value);
}
