import type { Finding } from '../contract/findings.ts';
import type { ConversionPlan } from './conversion-plan.ts';

/**
 * A copy in canonical spelling of fields and of values with `value_aliases`. Two spellings of a field may have equal
 * values; different values are a finding at both paths.
 */
export function rename(plan: ConversionPlan, raw: unknown, path: string, findings: Finding[]): unknown {
  if (Array.isArray(raw)) {
    const { items } = plan;
    return items && (items.fields || items.items)
      ? raw.map((item, i) => rename(items, item, `${path}/${i}`, findings))
      : raw;
  }
  if (typeof raw === 'string') return valueOf(plan, raw);
  if (typeof raw !== 'object' || raw === null || !plan.fields || !plan.spellings) return raw;
  const value: Record<string, unknown> = {};
  /** The spellings of fields that were not given by their own name. */
  let from: Map<string, string> | undefined;
  for (const [spelling, given] of Object.entries(raw)) {
    if (spelling === '__proto__') {
      findings.push({ level: 'error', path: `${path}/__proto__`, message: 'is not a field name' });
      continue;
    }
    const name = plan.spellings.get(spelling) ?? spelling;
    const field = plan.fields.get(name);
    const renamed = field ? rename(field, given, `${path}/${spelling}`, findings) : given;
    if (Object.hasOwn(value, name) && !same(value[name], renamed)) {
      const earlier = from?.get(name) ?? name;
      const message = `'${earlier}' and '${spelling}' are the same field and have different values`;
      for (const each of [earlier, spelling]) findings.push({ level: 'error', path: `${path}/${each}`, message });
      continue;
    }
    value[name] = renamed;
    if (spelling !== name || from?.has(name)) (from ??= new Map()).set(name, spelling);
  }
  return value;
}

function valueOf({ schema }: ConversionPlan, given: string): string {
  const aliases = schema['value_aliases'] as Readonly<Record<string, string>> | undefined;
  return aliases && Object.hasOwn(aliases, given) ? (aliases[given] as string) : given;
}

const same = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);
