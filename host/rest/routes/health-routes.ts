import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Broker } from '../../compose.ts';
import { thisPackage } from '../../process/this-package.ts';
import { checksOf, type Check, type Checks } from './checks.ts';
import type { PathTable } from './path-table.ts';

/**
 * Binds the routes outside of the API and its limits that report whether the process runs, whether it can serve, and
 * what it is.
 */
export function bindHealthRoutes(app: FastifyInstance, paths: PathTable, broker: Broker): void {
  const started = Date.now();
  for (const path of ['/health', '/livez', '/readyz', '/info']) paths.add('GET', path, 'detail');

  app.get('/livez', () => ({ status: 'ok', pid: process.pid }));

  // Not by the providers: all brokers of an installation have the same ones. A cloud that does not answer would take
  // all of them away from their callers, who can still ask, cancel and return.
  app.get('/readyz', async (_, reply) => {
    const checks = await checksOf(broker);
    const { storage, templates, loop, draining } = checks;
    return answered(reply, checks, [storage, templates, loop, ...(draining ? [draining] : [])]);
  });

  app.get('/health', async (_, reply) => {
    const checks = await checksOf(broker);
    return answered(reply, checks, Object.values(checks));
  });

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

/** The answer that shows all checks, of which those that `count` decide. */
function answered(reply: FastifyReply, checks: Checks, count: readonly Check[]) {
  const ready = count.every(({ ok }) => ok);
  reply.code(ready ? 200 : 503);
  if (!ready) reply.header('retry-after', 5);
  return { status: ready ? 'ok' : 'unavailable', version: thisPackage.version, checks };
}
