import { Type } from 'typebox';
import { p } from '../../../core/operations/parameters.ts';
import { readInput } from '../../../core/operations/read-input.ts';
import { StatusFeed } from '../../streams/status-feed.ts';
import type { OpenStreams } from '../../streams/open-streams.ts';
import { apiPrefix, type RouteParts } from '../bind-operation.ts';
import { callFormats, varyOfFormats } from '../call/call-format.ts';
import { limitRoute } from '../limits/limit-route.ts';
import { convertText } from '../../../core/schema/convert.ts';
import { conversionPlanOf } from '../../../core/schema/conversion-plan.ts';
import { rename } from '../../../core/schema/rename.ts';
import { isEventId } from './event-stream.ts';

/** The input of GET /requests/{request_id}/stream. */
export const streamInput = Type.Object(
  {
    request_id: p.request_id,
    timeout: Type.Integer({
      minimum: 1,
      maximum: 86_400,
      default: 3_600,
      description: 'Seconds after which the stream ends, unless the request has ended before.',
    }),
    long: { ...p.long, default: true, description: 'Include machines.' },
    interval: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 3_600,
        description:
          'Accepted for the client of another broker, which polls: a message comes at each change. Each message is then `{requests: [document]}`, and an empty object tells that the time is over.',
      }),
    ),
  },
  { additionalProperties: false },
);

const path = '/requests/{request_id}/stream';

/**
 * Binds the stream of the status document of a request: one message now and one at each change, until the request has
 * ended.
 */
export function bindRequestStream({ app, paths, broker, limits }: RouteParts, streams: OpenStreams): void {
  const { services, rendering, store, log } = broker;
  const { clock, requestQueries } = services;
  const feed = new StatusFeed({ store, queries: requestQueries, rendering, clock, log, turns: streams.turns });
  const formats = callFormats(broker);
  const plan = conversionPlanOf(streamInput);
  paths.add('GET', `${apiPrefix}${path}`, 'detail');
  app.route({
    method: 'GET',
    url: `${apiPrefix}/requests/:request_id/stream`,
    exposeHeadRoute: false,
    config: { errors: 'detail', operation: 'stream_request' },
    onRequest: limits ? [limitRoute(limits, 'read')] : [],
    async handler(request, reply) {
      const { strategy } = formats(request.headers);
      const { request_id } = request.params as { readonly request_id: string };
      const query = convertText(plan, rename(plan, request.query, '', [])) as object;
      const input = readInput({ input: streamInput }, { ...query, request_id });
      const last = request.headers['last-event-id'];
      const known = isEventId(last) ? Number(last) : undefined;
      const timer = new AbortController();
      reply.header('vary', varyOfFormats);
      const inList = input.interval !== undefined;
      await feed.follow(
        { request_id, long: input.long, strategy, inList },
        known,
        () => {
          const stream = streams.open(reply);
          reply.raw.once('close', () => timer.abort());
          void clock.sleep(input.timeout * 1_000, timer.signal).then(() => stream.end(inList ? 'data: {}\n\n' : ''));
          return stream;
        },
        // The answer that tells a browser not to connect again.
        () => void reply.code(204).send(),
      );
      return reply;
    },
  });
}
