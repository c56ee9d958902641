import type { ConversionPlan } from './conversion-plan.ts';

/**
 * Converts text to the type of the schema where the result is unambiguous. Other text stays, and the check reports it.
 */
export function convertText(plan: ConversionPlan, value: unknown): unknown {
  if (typeof value === 'string') return fromText(plan, value);
  if (Array.isArray(value)) {
    const { items } = plan;
    return items ? value.map((item) => convertText(items, item)) : value;
  }
  if (typeof value !== 'object' || value === null || !plan.fields) return value;
  const converted: Record<string, unknown> = {};
  for (const [name, each] of Object.entries(value)) {
    const field = plan.fields.get(name);
    converted[name] = field ? convertText(field, each) : each;
  }
  return converted;
}

function fromText(plan: ConversionPlan, text: string): unknown {
  if (plan.types.has('string')) return text;
  const trimmed = text.trim();
  if ((plan.types.has('integer') || plan.types.has('number')) && /^-?\d+(\.\d+)?$/.test(trimmed))
    return Number(trimmed);
  if (plan.types.has('boolean') && /^(true|false)$/i.test(trimmed)) return trimmed.toLowerCase() === 'true';
  if (plan.types.has('null') && trimmed === 'null') return null;
  if ((plan.types.has('object') || plan.types.has('array')) && /^[[{]/.test(trimmed)) {
    try {
      return JSON.parse(trimmed);
    } catch {
      return text;
    }
  }
  const { items } = plan;
  if (plan.types.has('array') && items)
    return trimmed === '' ? [] : trimmed.split(',').map((item) => fromText(items, item.trim()));
  return text;
}
