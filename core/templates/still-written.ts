import type { TemplateLayer, WrittenKey } from '../contract/scheduler.ts';

type Layer = Pick<TemplateLayer, 'fields' | 'as_written'>;

/**
 * What files say in their own words, least specific first, without the keys whose fields a later layer, or one made
 * over the API, says anew.
 */
export function stillWritten(chain: readonly Layer[], api: Readonly<Record<string, unknown>> | undefined): readonly WrittenKey[] {
  const written = new Map<string, WrittenKey>();
  for (const { fields, as_written = [] } of [...chain, ...(api ? [{ fields: api }] : [])] as readonly Layer[]) {
    for (const [key, { fields: read }] of written) if (read.some((field) => Object.hasOwn(fields, field))) written.delete(key);
    // What says nothing takes the place of nothing.
    for (const each of as_written) if (each.fields.length > 0 || !written.has(each.key)) written.set(each.key, each);
  }
  return [...written.values()];
}
