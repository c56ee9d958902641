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
import { OpenStreams } from '../streams/open-streams.ts';
import { bindRequestStream } from './routes/request-stream.ts';
import { followEvents } from './routes/event-stream.ts';
import { bindDocumentRoutes } from './routes/document-routes.ts';
import { callContexts } from './call/actor.ts';
import { callChecks } from './call/call-checks.ts';
import { traceCalls } from './call/call-spans.ts';
import { newCallId } from './call/call-id.ts';
import { answerFailure, answerFailures } from './failures.ts';
import { gatherChunks } from './body/gather-chunks.ts';
import { isHeaderText } from './call/header-text.ts';
import { bindHealthRoutes } from './routes/health-routes.ts';
import { queuePerConnection } from './body/queue-per-connection.ts';
import { largestBody, parseBody } from './body/json-body.ts';
import { rateLimits, type RateLimits } from './limits/rate-limits.ts';
import { bindMetricsRoute } from './routes/metrics-route.ts';
import { bindMachineRoutes } from './routes/machine-routes.ts';
import { bindMcpRoute } from './routes/mcp-route.ts';
import { bindOperationRoutes } from './routes/operation-routes.ts';
import { bindPage } from './ui/bind-page.ts';
import { tickQueue, serialQueue } from './body/job-queues.ts';
import { PathTable } from './routes/path-table.ts';
import { refuseBrokenCall } from './call/broken-call.ts';

export interface AppOptions {
  readonly broker: Broker;
  /** Called for every answered call. Absent: successful calls are not logged. */
  answered?(request: FastifyRequest, reply: FastifyReply): void;
  /**
   * The counters of the rate limits; unused when the configuration disables limits. Default: counters in this process.
   */
  readonly limits?: RateLimits;
  /**
   * The address on which another process listens for this one. Default: the address of this server once it listens.
   */
  readonly bound?: string;
}

/**
 * Creates the REST interface: the routes of every operation, the health routes and the error handling. Does not
 * listen.
 */
export function createApp({ broker, answered, limits, bound }: AppOptions): FastifyInstance {
  const paths = new PathTable();
  const { call_timeout_s, trust_proxy, actor_header } = broker.configuration.server;
  const contextOf = callContexts(actor_header);
  const app = fastify({
    logger: false,
    bodyLimit: largestBody,
    trustProxy: trust_proxy,
    // Bounds the time of a client that sends its call slowly, and of a client that does not read its answer.
    requestTimeout: call_timeout_s * 1000,
    connectionTimeout: 2 * call_timeout_s * 1000,
    // The check of the Host header is in `callChecks`: the answer of Node has no body. With two Host headers Node
    // would use the first, and a gateway possibly the second.
    http: {
      requireHostHeader: false,
      joinDuplicateHeaders: true,
      // If the time-out of the headers were longer than that of the call, Node would swap the two.
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
    // Operations parse their own input and answers are JSON, so Fastify's validator and serializer need not be loaded.
    schemaController: {
      compilersFactory: {
        buildValidator: (() => () => () => true) as never,
        buildSerializer: () => () => JSON.stringify,
      },
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
    // After a refused call the rest of the connection may be parsed differently by client and server; data that follow
    // an upgrade are not read; and a client that keeps calling on an open connection would delay the shutdown.
    if (wrong || closing || raw.headers.upgrade !== undefined) reply.header('connection', 'close');
    // Answers before the body is read: errors in the body do not matter when no route takes it.
    if (!wrong && request.is404) refuseUnserved(request, reply);
    else done(wrong);
  }
  // One hook for all checks, since each hook costs every call. A call that waits in the queue of its connection has
  // not begun.
  app.addHook('onRequest', (request, reply, done) =>
    queuePerConnection(request.raw, reply.raw, () => inCall(contextOf(request), () => begin(request, reply, done))),
  );
  // A call with an unknown Expect header is answered like any other call.
  app.server.on('checkExpectation', (request, response) => app.routing(request, response));
  if (answered) {
    app.addHook('onResponse', (request, reply, done) => {
      answered(request, reply);
      done();
    });
  }
  broker.meter.http.follow(app);
  if (broker.tracer.on) traceCalls(app, broker.tracer, new Set(broker.operations.map(({ name }) => name)));
  const expensive = serialQueue();
  readJsonOnly(app);
  const { enabled, ...groups } = broker.configuration.server.rate_limit;
  const counted = enabled ? (limits ?? rateLimits(groups, broker.services.clock)) : undefined;
  const { workers, max_streams } = broker.configuration.server;
  const streams = new OpenStreams(Math.ceil(max_streams / workers), broker.services.clock);
  app.addHook('preClose', (done) => {
    streams.close();
    done();
  });
  broker.meter.streams = streams;
  const parts = {
    app,
    paths,
    broker,
    limits: counted,
    expensive,
    followed: { list_events: followEvents(broker, streams) },
  };
  for (const operation of broker.operations) bindOperation(parts, operation);
  bindOperationRoutes(parts);
  bindHostFactoryRoutes(parts);
  bindRequestStream(parts, streams);
  bindMachineRoutes(app, paths);
  bindHealthRoutes(app, paths, broker);
  bindMetricsRoute(app, paths, broker);
  bindDocumentRoutes(app, paths, broker);
  bindMcpRoute(app, paths, broker);
  bindPage(app, paths, broker);
  return app;
}

function addressOf(server: Server): string | undefined {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.address : undefined;
}

/** Size in bytes above which parsing a body may take long. */
const largeBody = 32_768;
/** Size in bytes up to which a body is not counted in the budget. */
const smallBody = 16_384;

const bodyless = new Set<unknown>(['GET', 'HEAD']);

/**
 * Accepts JSON bodies only; an empty body counts as absent. Refuses every other content type, also with an empty body:
 * a form of any web page can send those types.
 */
function readJsonOnly(app: FastifyInstance): void {
  const parseQueue = tickQueue();
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
    // Many large bodies at once would block the event loop for all other calls.
    if (body.length < largeBody) read();
    else parseQueue(read);
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
    // The body of other methods is not read.
    if ([route.method].flat().some((method) => !bodyless.has(method))) route.preParsing = gather;
  });
  // Fastify would accept a body of a type without parser as a stream.
  app.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (_request, _body, done) =>
    done(
      new BrokerError('UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON; send it with content-type: application/json.'),
    ),
  );
}
