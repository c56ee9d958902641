import type { Family } from './family.ts';

/**
 * The text format of Prometheus. Everything of one name is added up by labels. The library is loaded by the first
 * scrape.
 */
export async function exposition(
  sources: readonly (readonly Family[])[],
): Promise<{ readonly type: string; readonly text: string }> {
  const { AggregatorRegistry } = await import('prom-client');
  // It takes what another registry gave as JSON, which is what families are.
  const registry = AggregatorRegistry.aggregate(
    sources.map((families) => families.filter(({ values }) => values.length > 0)) as object[],
  );
  return { type: registry.contentType, text: await registry.metrics() };
}
