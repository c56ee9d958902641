import type { FastifyInstance } from 'fastify';
import type { Broker } from '../../compose.ts';
import type { Family } from '../../metrics/family.ts';
import { allFamilies, registryOf } from '../../metrics/all-families.ts';
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
  const { type, text } = await exposition(await allFamilies(broker));
  return { type, text: Buffer.from(text) };
}

/**
 * Returns the text format of Prometheus. Adds up families of the same name by labels. Loads the library at the first
 * scrape.
 */
export async function exposition(
  sources: readonly (readonly Family[])[],
): Promise<{ readonly type: string; readonly text: string }> {
  const registry = await registryOf(sources);
  return { type: registry.contentType, text: await registry.metrics() };
}
