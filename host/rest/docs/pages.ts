import { fastify, type FastifyInstance } from 'fastify';
import type { Log } from '../../../core/contract/log.ts';
import { answerFailure, nothingAt } from '../failures.ts';
import type { Json } from '../../schema/public-schema.ts';
import { bindRedocPage } from './redoc-page.ts';
import { pagePolicy } from './page-policy.ts';

export interface PagesOptions {
  readonly document: Json;
  readonly log: Log;
}

/**
 * Creates the server of the documentation pages. It is a separate Fastify server that does not listen, since its
 * dependencies are large and rarely needed.
 */
export async function documentationPages({ document, log }: PagesOptions): Promise<FastifyInstance> {
  const [helmet, swagger, swaggerUi] = await Promise.all([
    import('@fastify/helmet'),
    import('@fastify/swagger'),
    import('@fastify/swagger-ui'),
  ]);
  const app = fastify({ logger: false, genReqId: ({ headers }) => String(headers['x-request-id']) });
  app.setErrorHandler((error, request, reply) => answerFailure(error, request, reply, log));
  app.setNotFoundHandler((request, reply) =>
    answerFailure(nothingAt(request.method, request.url), request, reply, log),
  );
  await app.register(helmet.default, {
    contentSecurityPolicy: false,
    strictTransportSecurity: false,
    frameguard: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
  });
  app.addHook('onRequest', (_, reply, done) => {
    reply.header('content-security-policy', pagePolicy());
    done();
  });
  await app.register(swagger.default, { mode: 'static', specification: { document: document as never } });
  await app.register(swaggerUi.default, {
    routePrefix: '/docs',
    theme: { title: 'muster' },
    uiConfig: {
      layout: 'BaseLayout',
      displayOperationId: true,
      displayRequestDuration: true,
      defaultModelsExpandDepth: 0,
      docExpansion: 'list',
    },
  });
  bindRedocPage(app);
  await app.ready();
  return app;
}
