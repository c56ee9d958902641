import type { FastifyInstance } from 'fastify';
import type { Broker } from '../compose.ts';
import { brokerFamilies } from '../metrics/broker-families.ts';
import { exposition } from '../metrics/exposition.ts';
import type { PathTable } from './path-table.ts';

/** GET /metrics, for Prometheus: what the broker knows, and what was counted in every process and thread of the server. */
export function bindMetricsRoute(app: FastifyInstance, paths: PathTable, broker: Broker): void {
  paths.add('GET', '/metrics', 'detail');
  app.get('/metrics', async (_, reply) => {
    const [known, counted] = await Promise.all([brokerFamilies(broker), broker.measures()]);
    const { type, text } = await exposition([known, ...counted]);
    reply.header('content-type', type);
    return text;
  });
}
