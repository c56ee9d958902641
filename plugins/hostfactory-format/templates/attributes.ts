import type { TemplateDetail } from '../../../core/index.ts';
import type { Dialect } from '../dialect.ts';

export type Attribute = readonly ['String' | 'Numeric' | 'Boolean', string];

/**
 * Without these HostFactory refuses a template; where neither file nor machine type says them, the smallest machine is
 * assumed.
 */
const fallback: Readonly<Record<string, Attribute>> = {
  type: ['String', 'X86_64'],
  ncpus: ['Numeric', '1'],
  nram: ['Numeric', '1024'],
};

/**
 * Attributes on the wire: always a pair of type and text, whether the file has plain values, pairs, or a text alone in
 * a list. What the file says wins; the machine type fills what is missing. CPUs are physical ones: HostFactory counts
 * slots by them. /
 */
export function attributesOf(
  { template, machine_type }: TemplateDetail,
  dialect: Dialect = 'symphony',
): Readonly<Record<string, Attribute>> {
  const given = Object.entries(template.attributes ?? {}).map(([name, value]) => [name, attribute(value)] as const);
  const attributes: Record<string, Attribute> = Object.fromEntries(given);
  const known: Readonly<Record<string, Attribute>> = machine_type
    ? {
        type: ['String', machine_type.arch === 'arm64' ? 'AARCH64' : machine_type.arch.toUpperCase()],
        ncpus: ['Numeric', String(machine_type.cores)],
        ncores: ['Numeric', String(machine_type.cores)],
        nram: ['Numeric', String(machine_type.memory_mib)],
      }
    : fallback;
  for (const [name, value] of Object.entries(known)) {
    // LSF says mem where Symphony says nram.
    if (name === 'nram' && attributes['mem']) continue;
    attributes[name === 'nram' && dialect === 'lsf' ? 'mem' : name] ??= attributes[name] ?? value;
  }
  return attributes;
}

function attribute(value: unknown): Attribute {
  if (Array.isArray(value)) {
    const [first, second] = value as unknown[];
    if (value.length >= 2 && (first === 'String' || first === 'Numeric' || first === 'Boolean'))
      return [first, String(second)];
    return attribute(first);
  }
  if (typeof value === 'number') return ['Numeric', String(value)];
  if (typeof value === 'boolean') return ['Boolean', value ? '1' : '0'];
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? '');
  // `[1:8]` is a range.
  return [/^(-?\d+(\.\d+)?|\[\d+:\d+\])$/.test(text) ? 'Numeric' : 'String', text];
}
