import type { FastifyInstance } from 'fastify';
import type { Broker } from '../../compose.ts';
import type { Family } from '../../metrics/family.ts';
import type { PathTable } from './path-table.ts';

/**
 * Binds GET /metrics for Prometheus: the state of the broker, and the counters of every process and thread of the
 * server. Loads its code at the first call.
 */
export function bindMetricsRoute(app: FastifyInstance, paths: PathTable, broker: Broker): void {
  let scraping: Promise<Scrape> | undefined;
  paths.add('GET', '/metrics', 'detail');
  app.get('/metrics', async (_, reply) => {
    // This route has no rate limit: simultaneous calls share one result.
    const { type, text } = await (scraping ??= scrape(broker).finally(() => (scraping = undefined)));
    reply.header('content-type', type);
    return text;
  });
}

interface Scrape {
  readonly type: string;
  readonly text: Buffer;
}

async function scrape(broker: Broker): Promise<Scrape> {
  const { brokerFamilies } = await import('../../metrics/broker-families.ts');
  const [known, counted] = await Promise.all([brokerFamilies(broker), broker.measures()]);
  const { type, text } = await exposition([known, ...counted]);
  return { type, text: Buffer.from(text) };
}

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
