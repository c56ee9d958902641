import type { Plan } from './plan.ts';

/** Fills defaults of absent fields. `value` is a copy that `rename` made; nested objects that are absent stay absent unless they have a default. */
export function fillDefaults(plan: Plan, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = plan;
    return items && (items.fields || items.items) ? value.map((item) => fillDefaults(items, item)) : value;
  }
  if (typeof value !== 'object' || value === null || !plan.fields) return value;
  const filled = value as Record<string, unknown>;
  for (const [name, fallback] of plan.defaults ?? []) if (filled[name] === undefined) filled[name] = copyOf(fallback);
  for (const [name, field] of plan.fields) {
    if (filled[name] !== undefined && (field.fields || field.items)) filled[name] = fillDefaults(field, filled[name]);
  }
  return filled;
}

const copyOf = (fallback: unknown): unknown => (typeof fallback === 'object' ? structuredClone(fallback) : fallback);
