import type { FastifyInstance } from 'fastify';
import type { Broker } from '../../compose.ts';
import { thisPackage } from '../../process/this-package.ts';
import { checksOf } from './checks.ts';
import type { PathTable } from './path-table.ts';

/**
 * Binds the routes outside of the API and its limits that report whether the process runs, whether it can serve, and
 * what it is.
 */
export function bindHealthRoutes(app: FastifyInstance, paths: PathTable, broker: Broker): void {
  const started = Date.now();
  for (const path of ['/health', '/livez', '/readyz', '/info']) paths.add('GET', path, 'detail');

  app.get('/livez', () => ({ status: 'ok', pid: process.pid }));

  for (const url of ['/readyz', '/health']) {
    app.get(url, async (_, reply) => {
      const checks = await checksOf(broker);
      const ready = Object.values(checks).every(({ ok }) => ok);
      reply.code(ready ? 200 : 503);
      if (!ready) reply.header('retry-after', 5);
      return { status: ready ? 'ok' : 'unavailable', version: thisPackage.version, checks };
    });
  }

  app.get('/info', () => ({
    ...thisPackage,
    scheduler: broker.configuration.scheduler,
    storage: broker.configuration.storage.type,
    started_at: new Date(started).toISOString(),
    pid: process.pid,
    workers: broker.configuration.server.workers,
    loop: broker.loop?.where ?? 'none',
    broker_id: broker.broker_id ?? null,
    templates: broker.services.templateLibrary.cacheStats.templates,
    providers: broker.services.providers.instances.map(({ name, type, enabled }) => {
      const { status, message } = broker.facts.health(name);
      return {
        name,
        type,
        enabled,
        health: status,
        healthy: status === 'unknown' ? null : status === 'healthy',
        ...(message === undefined ? {} : { message }),
      };
    }),
  }));
}
