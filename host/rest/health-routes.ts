import type { FastifyInstance } from 'fastify';
import type { Broker } from '../compose.ts';
import { thisPackage } from '../package.ts';
import type { PathTable } from './path-table.ts';

interface Check {
  readonly ok: boolean;
  readonly message?: string;
}

/** The storage has this long to answer before it counts as gone. */
const patienceMs = 2_000;

/** At the root, outside the API: whether the process lives, whether it can serve, and what it is. */
export function bindHealthRoutes(app: FastifyInstance, paths: PathTable, broker: Broker): void {
  const started = Date.now();
  for (const path of ['/health', '/livez', '/readyz', '/info']) paths.add('GET', path, 'detail');

  app.get('/livez', () => ({ status: 'ok', pid: process.pid }));

  for (const url of ['/readyz', '/health']) {
    app.get(url, async (_, reply) => {
      const checks = await check(broker);
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
    loop: broker.loop?.where ?? 'none',
    templates: broker.services.templates.cacheStats.templates,
    providers: broker.services.providers.instances.map(({ name, type, enabled }) => {
      const { healthy, message } = broker.facts.health(name);
      return { name, type, enabled, healthy, ...(message === undefined ? {} : { message }) };
    }),
  }));
}

async function check({ store, loop, services }: Broker): Promise<Readonly<Record<string, Check>>> {
  const trouble = loop?.trouble();
  return {
    storage: await answers(store.count('request', { status: 'pending' })),
    templates: { ok: services.templates.cacheStats.loads > 0 },
    loop: trouble === undefined ? { ok: true } : { ok: false, message: trouble },
  };
}

async function answers(question: Promise<unknown>): Promise<Check> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Check>((resolve) => {
    timer = setTimeout(() => resolve({ ok: false, message: 'The storage does not answer.' }), patienceMs);
  });
  const asked = question.then(
    (): Check => ({ ok: true }),
    (error: unknown): Check => ({ ok: false, message: error instanceof Error ? error.message : 'The storage failed.' }),
  );
  const check = await Promise.race([asked, late]);
  clearTimeout(timer);
  return check;
}
