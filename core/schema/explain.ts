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

/** Says in words what the validator found: one finding for each place. */
export function explain(errors: readonly SchemaError[], plan: Plan, value: unknown): Finding[] {
  const findings = new Map<string, Finding>();
  const add = (path: string, message: string) => {
    if (!findings.has(path)) findings.set(path, { level: 'error', path, message });
  };
  const choices = errors.filter((error) => error.keyword === 'anyOf').map((error) => error.instancePath);
  for (const error of errors) {
    const params = error.params as Record<string, any>;
    const at = planAt(plan, error.instancePath);
    if (error.keyword === 'boolean') continue;
    else if (error.keyword === 'required') {
      for (const name of params['requiredProperties'] as string[]) add(`${error.instancePath}/${name}`, 'is required');
    } else if (error.keyword === 'additionalProperties') {
      for (const name of params['additionalProperties'] as string[]) {
        add(`${error.instancePath}/${name}`, `unknown field${hint(name, [...(at?.fields?.keys() ?? [])])}`);
      }
    } else if (error.keyword === 'anyOf')
      add(error.instancePath, `must be ${at ? wanted(at) : 'another type'}, not ${kindOf(valueAt(value, error.instancePath))}`);
    else if (choices.some((path) => error.instancePath === path)) continue;
    else if (error.keyword === 'enum' || error.keyword === 'const') {
      const allowed: unknown[] = params['allowedValues'] ?? [params['allowedValue']];
      add(error.instancePath, `must be one of ${allowed.map(String).join(', ')}`);
    } else if (error.keyword === 'type')
      add(error.instancePath, `must be ${article(String(params['type'] ?? ''))}, not ${kindOf(valueAt(value, error.instancePath))}`);
    else add(error.instancePath, error.message);
  }
  return [...findings.values()];
}

const steps = (path: string): string[] =>
  path
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

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
const kindOf = (value: unknown): string =>
  value === null ? 'null' : value === undefined ? 'absent' : Array.isArray(value) ? 'a list' : article(typeof value);
