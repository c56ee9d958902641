import type { Family } from './family.ts';

/**
 * Returns the text format of Prometheus. Adds up families of the same name by labels. Loads the library at the first
 * scrape.
 */
export async function exposition(
  sources: readonly (readonly Family[])[],
): Promise<{ readonly type: string; readonly text: string }> {
  const { AggregatorRegistry } = await import('prom-client');
  // The library accepts the JSON of another registry, which has the shape of families.
  const registry = AggregatorRegistry.aggregate(
    sources.map((families) => families.filter(({ values }) => values.length > 0)) as object[],
  );
  return { type: registry.contentType, text: await registry.metrics() };
}
