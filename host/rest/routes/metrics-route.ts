import type { FastifyInstance } from 'fastify';
import type { Broker } from '../../compose.ts';
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
  const [{ brokerFamilies }, { exposition }] = await Promise.all([
    import('../../metrics/broker-families.ts'),
    import('../../metrics/exposition.ts'),
  ]);
  const [known, counted] = await Promise.all([brokerFamilies(broker), broker.measures()]);
  const { type, text } = await exposition([known, ...counted]);
  return { type, text: Buffer.from(text) };
}
