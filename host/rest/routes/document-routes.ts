import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Broker } from '../../compose.ts';
import { jsonType } from '../bind-operation.ts';
import type { Json } from '../../schema/public-schema.ts';
import type { PathTable } from './path-table.ts';

/**
 * Binds /openapi.json, and /docs and /redoc that show it. Loads their code at the first call. These routes have no
 * rate limit.
 */
export function bindDocumentRoutes(app: FastifyInstance, paths: PathTable, broker: Broker): void {
  const document = once(
    async (): Promise<Json> => (await import('../openapi/document.ts')).openApiDocument(broker, app),
  );
  const text = once(async () => Buffer.from(JSON.stringify(await document())));
  const pages = once(async () => {
    const { documentationPages } = await import('../docs/pages.ts');
    return documentationPages({ document: await document(), log: broker.log });
  });

  async function show(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { routing } = await pages();
    const { 'x-request-id': id, connection } = reply.getHeaders();
    reply.hijack();
    for (const [name, value] of Object.entries({ 'x-request-id': id, connection }))
      if (value !== undefined) reply.raw.setHeader(name, value);
    routing(request.raw, reply.raw);
  }

  app.get('/openapi.json', async (_, reply) => reply.header('content-type', jsonType).send(await text()));
  for (const url of ['/docs', '/docs/*', '/redoc', '/redoc/*']) app.route({ method: 'GET', url, handler: show });
  for (const path of ['/openapi.json', '/docs/', '/redoc/']) paths.add('GET', path, 'detail');
}

/** Returns a function that creates a value at its first call and caches it; it retries only after a failure. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let cached: Promise<T> | undefined;
  return () =>
    (cached ??= make().catch((error: unknown) => {
      cached = undefined;
      throw error;
    }));
}
