import type { FastifyInstance } from 'fastify';
import type { Broker } from '../../compose.ts';
import type { PathTable } from './path-table.ts';

/**
 * GET /metrics, for Prometheus: what the broker knows, and what was counted in every process and thread of the server. What only a scrape needs is
 * loaded by the first one.
 */
export function bindMetricsRoute(app: FastifyInstance, paths: PathTable, broker: Broker): void {
  let under_way: Promise<Scrape> | undefined;
  paths.add('GET', '/metrics', 'detail');
  app.get('/metrics', async (_, reply) => {
    // Nobody is limited here: those who ask at the same time are told the same.
    const { type, text } = await (under_way ??= scrape(broker).finally(() => (under_way = undefined)));
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
