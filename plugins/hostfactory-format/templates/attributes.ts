import type { TemplateDetail } from '../../../core/index.ts';
import type { Dialect } from '../dialect.ts';

export type Attribute = readonly ['String' | 'Numeric' | 'Boolean', string];

/**
 * HostFactory refuses a template without these attributes. The smallest machine is assumed when neither the file nor
 * the machine type has them.
 */
const fallback: Readonly<Record<string, Attribute>> = {
  type: ['String', 'X86_64'],
  ncpus: ['Numeric', '1'],
  nram: ['Numeric', '1024'],
};

/**
 * Attributes for HostFactory: always pairs of type and text, whether the file has plain values, pairs, or a text alone
 * in a list. The file takes precedence; the machine type adds the rest. CPUs are physical cores, because HostFactory
 * counts slots by them.
 */
export function attributesOf(
  { template, machine_type }: TemplateDetail,
  dialect: Dialect = 'symphony',
): Readonly<Record<string, Attribute>> {
  const given = Object.entries(template.attributes ?? {}).map(([name, value]) => [name, attribute(value)] as const);
  const attributes: Record<string, Attribute> = Object.fromEntries(given);
  const derived: Readonly<Record<string, Attribute>> = machine_type
    ? {
        type: ['String', machine_type.arch === 'arm64' ? 'AARCH64' : machine_type.arch.toUpperCase()],
        ncpus: ['Numeric', String(machine_type.cores)],
        ncores: ['Numeric', String(machine_type.cores)],
        nram: ['Numeric', String(machine_type.memory_mib)],
      }
    : fallback;
  for (const [name, value] of Object.entries(derived)) {
    // LSF uses mem for nram.
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
