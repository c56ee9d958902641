import type { Template } from '../../../core/index.ts';

/** HostFactory's word for the market; undefined where the template says nothing. */
export function priceTypeOf(template: Template): string | undefined {
  const given = template['price_type'];
  return typeof given === 'string' ? (given === 'mixed' ? 'heterogeneous' : given) : undefined;
}
