import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { Durations, type Timing } from './durations.ts';
import type { Family } from './family.ts';

type Hook = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void;

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Counts answered calls by method, route pattern and status: text of a caller never becomes a label. */
export class HttpDurations {
  readonly #durations = new Durations({
    name: 'muster_http_request_duration_seconds',
    help: 'Answered calls, by method, route and status.',
    labels: ['method', 'route', 'status'],
    bounds: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });

  /** Counts the calls of all routes that are bound after this call. */
  follow(app: FastifyInstance): void {
    app.addHook('onRoute', (route) => {
      route.onResponse = [...[route.onResponse ?? []].flat(), this.#hook(patternOf(route.url))];
    });
  }

  /** Counts a call without a route. */
  unmatched(method: string, status: number, ms: number): void {
    this.#durations.of(methods.has(method) ? method : 'other', 'unmatched', String(status)).add(ms);
  }

  family(): Family {
    return this.#durations.family();
  }

  #hook(route: string): Hook {
    const timings = new Map<string, Map<number, Timing>>();
    const find = (method: string, status: number): Timing => {
      let byStatus = timings.get(method);
      if (!byStatus) timings.set(method, (byStatus = new Map()));
      let timing = byStatus.get(status);
      if (!timing) byStatus.set(status, (timing = this.#durations.of(method, route, String(status))));
      return timing;
    };
    return (request, reply, done) => {
      // A stream is open for as long as its reader wants.
      if (!isStream(reply)) find(request.method, reply.statusCode).add(reply.elapsedTime);
      done();
    };
  }
}

const isStream = ({ raw }: FastifyReply): boolean =>
  raw.getHeader('content-type')?.toString().startsWith('text/event-stream') === true;

/** Converts a route pattern to the form of the documentation; a route with and without a final slash counts as one. */
const patternOf = (url: string): string => url.replace(/:(\w+)/g, '{$1}').replace(/(.)\/$/, '$1');
