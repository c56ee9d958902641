import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, Operation } from '../../core/operations/operation.ts';
import type { RestBinding } from '../../core/contract/service/rest-binding.ts';
import { csvOf } from '../../core/operations/usage/csv.ts';
import type { SchedulerStrategy } from '../../core/contract/scheduler.ts';
import { isoTime } from '../../core/schema/iso-time.ts';
import type { Broker } from '../compose.ts';
import { isLocalCall } from '../http/local-call.ts';
import { refuseUnderPressure } from '../http/pressure.ts';
import { callFormats, varyOfFormats } from './call/call-format.ts';
import { callerOf } from './call/idempotency-key.ts';
import { limitRoute } from './limits/limit-route.ts';
import type { RateLimits } from './limits/rate-limits.ts';
import { asksForMany, type SerialQueue } from './body/job-queues.ts';
import { inputReader } from './route-input.ts';
import type { PathTable } from './routes/path-table.ts';

export const apiPrefix = '/api/v1';
export const jsonType = 'application/json; charset=utf-8';

const anonymous: Caller = {};

/** Dependencies of the functions that bind routes. */
export interface RouteParts {
  readonly app: FastifyInstance;
  readonly paths: PathTable;
  readonly broker: Broker;
  /** Absent: rate limits are disabled. */
  readonly limits: RateLimits | undefined;
  /** Runs expensive calls one after another. */
  readonly expensive: SerialQueue;
  /** The operations whose answer a caller may follow as a stream, by name. */
  readonly followed: Readonly<Record<string, Follow>>;
}

/** Answers a call with a stream. Rejects before it begins the answer. */
export type Follow = (
  input: Readonly<Record<string, unknown>>,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<void>;

/** Whether a call asks for server-sent events. */
export const asksForStream = ({ method, headers: { accept = '' } }: FastifyRequest): boolean =>
  method === 'GET' && /(?:^|,)\s*text\/event-stream\s*(?:[;,]|$)/i.test(accept);

/** Whether a call prefers CSV to JSON. */
const asksForCsv = ({ headers: { accept = '' } }: FastifyRequest): boolean =>
  /(?:^|,)\s*text\/csv\s*(?:[;,]|$)/i.test(accept);

/** Binds an operation to every route that it declares. */
export function bindOperation(parts: RouteParts, operation: Operation<any, any>): void {
  const bindings: readonly RestBinding[] = operation.rest === undefined ? [] : [operation.rest].flat();
  for (const rest of bindings) bindRoute(parts, operation, rest);
}

function bindRoute(
  { app, paths, broker, limits, expensive, followed }: RouteParts,
  operation: Operation<any, any>,
  rest: RestBinding,
): void {
  const read = inputReader(operation, rest);
  const formats = callFormats(broker);
  const status = rest.status ?? 200;
  const form = rest.errors ?? 'detail';
  const parameters = rest.path.includes('{');
  const scope = `${rest.method} ${rest.path}`;
  const answer = answerOf(broker, operation);
  const { rendering } = broker;
  const ownType = contentType(rendering.mediaType(operation, rendering.active));
  const typeIn = (strategy: SchedulerStrategy): string =>
    strategy === rendering.active ? ownType : contentType(rendering.mediaType(operation, strategy));
  const varies = rendering.dependsOnScheduler(operation);
  const follow = Object.hasOwn(followed, operation.name) ? followed[operation.name] : undefined;

  function handle(request: FastifyRequest, reply: FastifyReply): Promise<Buffer | string> {
    // `/templates/` is the list of templates, not a template with an empty id.
    if (parameters && hasEmpty(request.params as Readonly<Record<string, string>>))
      return reply.callNotFound() as never;
    const { services, strategy } = formats(request.headers);
    const input = read({
      params: request.params as Record<string, unknown>,
      query: request.query as Record<string, unknown>,
      body: request.body,
    });
    if (follow) {
      reply.header('vary', 'Accept');
      if (asksForStream(request)) return follow(input, request, reply).then(() => reply as never);
    }
    const who = rest.idempotent ? callerOf(request.headers['idempotency-key'], scope, input) : anonymous;
    const caller = isLocalCall(request.raw) ? { ...who, owner: true } : who;
    const serve = async (): Promise<Buffer | string> => {
      const result = await operation.handle(input, services, caller);
      if (rest.csv !== undefined) {
        reply.header('vary', 'Accept');
        if (asksForCsv(request)) {
          reply.code(status).header('content-type', 'text/csv; charset=utf-8; header=present');
          const { list, columns } = rest.csv;
          return csvOf((result as Readonly<Record<string, readonly object[]>>)[list] as never, columns(input));
        }
      }
      const rendered = answer(result, strategy);
      const body = rendered instanceof Promise ? await rendered : rendered;
      if (operation.output === 'status') addObservedAt(reply, result as { readonly observed_at?: number });
      reply.code(status).header('content-type', typeIn(strategy));
      if (varies) reply.header('vary', varyOfFormats);
      return body;
    };
    return asksForMany(input) ? expensive(serve) : serve();
  }

  paths.add(rest.method, `${apiPrefix}${rest.path}`, form);
  // A call refused under pressure does not count against the rate limit.
  const pressureHook = operation.kind === 'command' ? [refuseUnderPressure(broker.meter.pressure)] : [];
  const limitHook = limits && rest.limit ? [limitRoute(limits, rest.limit)] : [];
  const onRequest = [...pressureHook, ...limitHook];
  const config = { errors: form, operation: operation.name };
  for (const url of urlsOf(rest.path)) app.route({ method: rest.method, url, config, onRequest, handler: handle });
}

/** A list is served with and without a slash at the end. */
function urlsOf(path: string): readonly string[] {
  const url = `${apiPrefix}${path.replace(/\{(\w+)\}/g, ':$1')}`;
  return url.endsWith('/') ? [url, url.slice(0, -1)] : [url];
}

/** A media type without charset gets UTF-8, the charset of all answers. */
const contentType = (media: string): string => (media.includes('charset=') ? media : `${media}; charset=utf-8`);

function hasEmpty(params: Readonly<Record<string, string>>): boolean {
  for (const name in params) if (params[name] === '') return true;
  return false;
}

type Answer = (result: unknown, strategy: SchedulerStrategy) => Promise<Buffer | string> | Buffer | string;

function answerOf(broker: Broker, operation: Operation<any, any>): Answer {
  if (operation.name === 'get_template') return (result) => templateAnswer(result as TemplateAnswer);
  return (result, strategy) => broker.rendering.body(operation, result, strategy);
}

function addObservedAt(reply: FastifyReply, { observed_at }: { readonly observed_at?: number }): void {
  if (observed_at !== undefined) reply.header('x-observed-at', isoTime(observed_at));
}

/**
 * JSON of the answers of GET /templates/{id}. Templates are frozen and few, so each is serialized once; only the
 * timestamp changes.
 */
const templateTexts = new WeakMap<object, string>();

interface TemplateAnswer {
  readonly template: object;
  readonly timestamp: string;
}

function templateAnswer({ template, timestamp }: TemplateAnswer): string {
  let text = templateTexts.get(template);
  if (text === undefined) {
    text = `{"template":${JSON.stringify(template)},"timestamp":"`;
    templateTexts.set(template, text);
  }
  return `${text}${timestamp}"}`;
}
