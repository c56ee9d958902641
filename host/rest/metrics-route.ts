import type { FastifyInstance } from 'fastify';
import type { Broker } from '../compose.ts';
import type { PathTable } from './path-table.ts';

/**
 * GET /metrics, for Prometheus: what the broker knows, and what was counted in every process and thread of the server. What only a scrape needs is
 * loaded by the first one.
 */
export function bindMetricsRoute(app: FastifyInstance, paths: PathTable, broker: Broker): void {
  paths.add('GET', '/metrics', 'detail');
  app.get('/metrics', async (_, reply) => {
    const [{ brokerFamilies }, { exposition }] = await Promise.all([
      import('../metrics/broker-families.ts'),
      import('../metrics/exposition.ts'),
    ]);
    const [known, counted] = await Promise.all([brokerFamilies(broker), broker.measures()]);
    const { type, text } = await exposition([known, ...counted]);
    reply.header('content-type', type);
    return text;
  });
}
