import type { Server } from 'node:http';
import type { Readable } from 'node:stream';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import {
  fastify,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type HookHandlerDoneFunction,
  type preParsingHookHandler,
} from 'fastify';
import { BrokerError } from '../../core/contract/errors.ts';
import { clientOf } from '../http/client-address.ts';
import { inCall } from '../http/call-context.ts';
import { isLocalCall } from '../http/local-call.ts';
import type { Broker } from '../compose.ts';
import { bindHostFactoryRoutes } from '../hostfactory/routes.ts';
import { securityHeaders } from '../http/security-headers.ts';
import { bodyBudget } from './body/body-budget.ts';
import { bindOperation } from './bind-operation.ts';
import { bindDocumentRoutes } from './routes/document-routes.ts';
import { callChecks } from './call/call-checks.ts';
import { newCallId } from './call/call-id.ts';
import { answerFailure, answerFailures } from './failures.ts';
import { gatherChunks } from './body/gather-chunks.ts';
import { isHeaderText } from './call/header-text.ts';
import { bindHealthRoutes } from './routes/health-routes.ts';
import { inTurn } from './body/in-turn.ts';
import { largestBody, parseBody } from './body/json-body.ts';
import { rateLimits, type RateLimits } from './limits/rate-limits.ts';
import { bindMetricsRoute } from './routes/metrics-route.ts';
import { bindMachineRoutes } from './routes/machine-routes.ts';
import { bindMcpRoute } from './routes/mcp-route.ts';
import { bindOperationRoutes } from './routes/operation-routes.ts';
import { oneATurn, oneByOne } from './body/one-a-turn.ts';
import { PathTable } from './routes/path-table.ts';
import { refuseBrokenCall } from './call/broken-call.ts';

export interface AppOptions {
  readonly broker: Broker;
  /** Called for every call that was answered; left out, nothing is logged for calls that went well. */
  answered?(request: FastifyRequest, reply: FastifyReply): void;
  /** Where calls are counted, unless the configuration turns limits off. Default: in this process. */
  readonly limits?: RateLimits;
  /** The address that another process listens on for this one. Default: its own, once it listens. */
  readonly bound?: string;
}

/** The REST face: every operation that declares a route, health routes, and one place for failures. It listens nowhere yet. */
export function createApp({ broker, answered, limits, bound }: AppOptions): FastifyInstance {
  const paths = new PathTable();
  const { call_timeout_s, trust_proxy } = broker.configuration.server;
  const app = fastify({
    logger: false,
    bodyLimit: largestBody,
    trustProxy: trust_proxy,
    // A client that sends its call byte by byte is not waited for longer, nor one that does not take its answer.
    requestTimeout: call_timeout_s * 1000,
    connectionTimeout: 2 * call_timeout_s * 1000,
    // Node's own refusal has no body; ours is below. Of two hosts it would take the first, and a gateway perhaps the other.
    http: {
      requireHostHeader: false,
      joinDuplicateHeaders: true,
      // With a time for headers that is longer than that for a call, node would take each for the other.
      headersTimeout: Math.min(60_000, call_timeout_s * 1000),
      connectionsCheckingInterval: Math.min(5_000, call_timeout_s * 250),
    },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    genReqId: ({ headers }) => (isHeaderText(headers['x-request-id']) ? headers['x-request-id'] : newCallId()),
    frameworkErrors: (error, request, reply) =>
      void answerFailure(
        error,
        request,
        reply.headers({ ...securityHeaders, 'x-request-id': request.id }),
        broker.log,
        paths.match(request.url.split('?', 1)[0] ?? '')?.form ?? 'detail',
      ),
    clientErrorHandler: refuseBrokenCall,
    routerOptions: { maxParamLength: 1_000 },
    // Operations read their input themselves and answers come as JSON, so the validator and the serializer need not even be loaded.
    schemaController: {
      compilersFactory: { buildValidator: (() => () => () => true) as never, buildSerializer: () => () => JSON.stringify },
    },
  }).withTypeProvider<TypeBoxTypeProvider>();

  let closing = false;
  app.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  const check = callChecks(broker.configuration.server, () => bound ?? addressOf(app.server));
  const refuseUnserved = answerFailures(app, paths, broker);
  function begin(request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void {
    reply.headers(securityHeaders).header('x-request-id', request.id);
    const { raw } = request;
    const wrong = check(raw);
    // What follows on the connection may be read otherwise than it was meant; and what comes together with an upgrade is not read at all. And a client
    // that goes on calling over an open connection would hold the end up.
    if (wrong || closing || raw.headers.upgrade !== undefined) reply.header('connection', 'close');
    // Before the body is read: what is wrong with that does not matter where nothing would take it.
    if (!wrong && request.is404) refuseUnserved(request, reply);
    else done(wrong);
  }
  // One hook for all, since each costs every call. What waits for its turn has not begun.
  app.addHook('onRequest', (request, reply, done) =>
    inTurn(request.raw, reply.raw, () => inCall(request.id, () => begin(request, reply, done))),
  );
  // A call that expects what nobody here knows is answered as any other.
  app.server.on('checkExpectation', (request, response) => app.routing(request, response));
  if (answered) {
    app.addHook('onResponse', (request, reply, done) => {
      answered(request, reply);
      done();
    });
  }
  broker.meter.http.follow(app);
  const dear = oneByOne();
  readJsonOnly(app);
  const { enabled, ...groups } = broker.configuration.server.rate_limit;
  const counted = enabled ? (limits ?? rateLimits(groups, broker.services.clock)) : undefined;
  for (const operation of broker.operations) bindOperation({ app, paths, broker, limits: counted, dear }, operation);
  bindOperationRoutes({ app, paths, broker, limits: counted, dear });
  bindHostFactoryRoutes({ app, paths, broker, limits: counted, dear });
  bindMachineRoutes(app, paths);
  bindHealthRoutes(app, paths, broker);
  bindMetricsRoute(app, paths, broker);
  bindDocumentRoutes(app, paths, broker);
  bindMcpRoute(app, paths, broker);
  return app;
}

function addressOf(server: Server): string | undefined {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.address : undefined;
}

/** Bytes. What a larger body asks for may take long, too. */
const largeBody = 32_768;
/** Bytes. Up to this size a body needs no room in the budget, however many connections send one. */
const smallBody = 16_384;

const bodyless = new Set<unknown>(['GET', 'HEAD']);

/** JSON is read strictly, and an empty body of it is none; every other type is refused, an empty one too: a form of any page can send that. */
function readJsonOnly(app: FastifyInstance): void {
  const inOrder = oneATurn();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, ({ raw }, body, done) => {
    const read = (): void => {
      let value: unknown;
      try {
        value = parseBody(body, { local: isLocalCall(raw) });
      } catch (error) {
        return done(error as Error);
      }
      done(null, value);
    };
    // Many that come at once would keep everybody else waiting for all of them.
    if (body.length < largeBody) read();
    else inOrder(read);
  });
  const shareOf = bodyBudget();
  const gather: preParsingHookHandler = (request, { raw: answer }, body, done) => {
    const { 'transfer-encoding': coding, 'content-length': length } = request.headers;
    if (coding === undefined && !(Number(length) > smallBody)) return done(null, body);
    const share = isLocalCall(request.raw) ? undefined : shareOf(clientOf(request));
    if (share) answer.once('close', share.release).once('finish', share.release);
    done(null, gatherChunks(body as Readable, share));
  };
  app.addHook('onRoute', (route) => {
    // Of the others no body is read.
    if ([route.method].flat().some((method) => !bodyless.has(method))) route.preParsing = gather;
  });
  // Fastify would let a body of a type that nobody reads stream on.
  app.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (_request, _body, done) =>
    done(new BrokerError('UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON; send it with content-type: application/json.')),
  );
}
