import { Settings } from 'typebox/system';
import type { Finding } from '../findings.ts';
import { hint } from '../spelling.ts';
import type { Plan } from './plan.ts';

/** A validation error as typebox gives it. */
interface SchemaError {
  readonly keyword: string;
  readonly schemaPath: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

// typebox stops at 8 by default; people are told everything that is wrong at once.
Settings.Set({ maxErrors: 200 });

const longestPath = 300;

/** Says in words what the validator found: one finding for each place. */
export function explain(errors: readonly SchemaError[], plan: Plan, value: unknown): Finding[] {
  const findings = new Map<string, Finding>();
  const add = (path: string, message: string) => {
    // A name may be as long as a body; nobody wants it back whole.
    if (!findings.has(path))
      findings.set(path, { level: 'error', path: path.length > longestPath ? `${path.slice(0, longestPath)}…` : path, message });
  };
  const choices = new Map(
    errors.filter((error) => error.keyword === 'anyOf').map(({ instancePath }) => [instancePath, choiceAt(instancePath, errors)]),
  );
  for (const error of errors) {
    const params = error.params as Record<string, any>;
    const at = planAt(plan, error.instancePath);
    const choice = choices.get(error.instancePath);
    if (error.keyword === 'boolean') {
      // Every unknown field comes as its own error before they come together: where there are too many, the latter is cut off.
      const name = steps(error.instancePath).at(-1) ?? '';
      if (error.schemaPath.endsWith('/additionalProperties'))
        add(error.instancePath, unknown(name, planAt(plan, parent(error.instancePath))));
    } else if (error.keyword === 'required') {
      for (const name of params['requiredProperties'] as string[]) add(`${error.instancePath}/${name}`, 'is required');
    } else if (error.keyword === 'additionalProperties') {
      for (const name of params['additionalProperties'] as string[]) add(`${error.instancePath}/${escape(name)}`, unknown(name, at));
    } else if (choice?.allowed.length) {
      add(error.instancePath, `must be one of ${choice.allowed.join(', ')}${at?.types.has('null') ? ' or null' : ''}`);
    } else if (choice && (verdicts.has(error.keyword) ? choice.closer : error.keyword === 'type')) continue;
    else if (error.keyword === 'anyOf')
      add(error.instancePath, `must be ${at ? wanted(at) : 'another type'}, not ${kindOf(valueAt(value, error.instancePath))}`);
    else if (error.keyword === 'enum' || error.keyword === 'const') {
      add(error.instancePath, `must be one of ${allowedBy(error).join(', ')}`);
    } else if (error.keyword === 'type')
      add(error.instancePath, `must be ${article(String(params['type'] ?? ''))}, not ${kindOf(valueAt(value, error.instancePath))}`);
    else add(error.instancePath, error.message);
  }
  return [...findings.values()];
}

const verdicts = new Set(['anyOf', 'boolean']);

/** What the variants of a choice say: the values that they name, and whether one of them fits in type and was refused for something nearer. */
function choiceAt(path: string, errors: readonly SchemaError[]): { readonly allowed: readonly string[]; readonly closer: boolean } {
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
const unknown = (name: string, around: Plan | undefined): string => `unknown field${hint(name, [...(around?.fields?.keys() ?? [])])}`;

function planAt(plan: Plan, path: string): Plan | undefined {
  let at: Plan | undefined = plan;
  for (const step of steps(path)) at = at?.fields?.get(step) ?? at?.items;
  return at;
}

function valueAt(value: unknown, path: string): unknown {
  let at: any = value;
  for (const step of steps(path)) at = at?.[step];
  return at;
}

const article = (type: string): string => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`);
const wanted = (plan: Plan): string => [...plan.types].map((type) => (type === 'null' ? 'null' : article(type))).join(' or ');

/** What came instead, never the value itself: it may be a secret. */
function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'absent';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'number' && !Number.isInteger(value) ? 'a fraction' : article(typeof value);
}
