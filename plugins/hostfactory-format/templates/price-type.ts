import type { Template } from '../../../core/index.ts';

/** The HostFactory name of the market; undefined when the template names none. */
export function priceTypeOf(template: Template): string | undefined {
  const given = template['price_type'];
  return typeof given === 'string' ? (given === 'mixed' ? 'heterogeneous' : given) : undefined;
}
