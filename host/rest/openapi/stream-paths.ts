import type { FastifyInstance } from 'fastify';
import { publicSchema, type Json } from '../../schema/public-schema.ts';
import { apiPrefix } from '../bind-operation.ts';
import { streamInput } from '../routes/request-stream.ts';
import { headersOf, refusalsOf } from './answers.ts';
import type { Components } from './components.ts';

const lastEventId: Json = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'The id of the last message of an earlier stream. It takes precedence over `after`.',
  schema: { type: 'string' },
  example: '1204',
};

const eventStream = (example: string): Json => ({ 'text/event-stream': { schema: { type: 'string' }, example } });

const eventExample = `retry: 2000

id: 1205
event: machine.ready
data: {"seq":1205,"at":"2026-01-15T09:30:40.000Z","type":"machine.ready","request_id":"req-0197f2b4",…}

`;

/** Adds that GET /events/ also answers with a stream, and the stream of a request. */
export function addStreamPaths(
  paths: Record<string, Record<string, any>>,
  app: Pick<FastifyInstance, 'hasRoute'>,
  { limited, named }: { readonly limited: boolean; readonly named: Components['named'] },
): void {
  const list = paths[`${apiPrefix}/events/`]?.['get'];
  if (list) {
    list.description =
      `${list.description ?? ''} With \`Accept: text/event-stream\` the answer is a stream that begins behind \`after\`, else now; \`limit\` has no effect then.`.trim();
    list.parameters = [...list.parameters, lastEventId];
    Object.assign(list.responses['200'].content, eventStream(eventExample));
  }
  const path = `${apiPrefix}/requests/{request_id}/stream`;
  if (!app.hasRoute({ method: 'GET', url: path.replace('{request_id}', ':request_id') })) return;
  const example = paths[`${apiPrefix}/requests/{request_id}/timeline`]?.['get'].parameters[0].example;
  paths[path] = { get: requestStream({ limited, named, example }) };
}

interface RequestStream {
  readonly limited: boolean;
  readonly named: Components['named'];
  /** The id of a request. */
  readonly example: unknown;
}

function requestStream({ limited, named, example }: RequestStream): Json {
  const { properties = {}, required = [] } = publicSchema(streamInput, named) as {
    readonly properties?: Readonly<Record<string, Json>>;
    readonly required?: readonly string[];
  };
  const inputs = Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: name === 'request_id' ? 'path' : 'query',
    required: name === 'request_id' || (required.includes(name) && !('default' in schema)),
    description,
    schema,
    ...(name === 'request_id' ? { example } : {}),
  }));
  return {
    operationId: 'stream_request',
    summary: 'Follow the status of a request.',
    description:
      'A stream of server-sent events: the document of GET /requests/{request_id}/status now and at each change, until the request has ended or the timeout passes. 204: the reader has the last document already.',
    tags: ['Requests'],
    ...(limited ? { 'x-rate-limit-group': 'read' } : {}),
    parameters: [
      ...inputs,
      lastEventId,
      { $ref: '#/components/parameters/X-Scheduler' },
      { $ref: '#/components/parameters/X-Request-Id' },
    ],
    responses: {
      '200': {
        description: 'The stream.',
        content: eventStream('id: 3\ndata: {"request_id":"req-0197f2b4","status":"in_progress",…}\n\n'),
        headers: headersOf({ limited }),
      },
      '204': { description: 'Nothing more follows.', headers: headersOf({ limited }) },
      ...refusalsOf(
        ['INVALID_REQUEST', 'REQUEST_NOT_FOUND', ...(limited ? (['RATE_LIMITED'] as const) : []), 'UNAVAILABLE'],
        { form: 'detail', limited },
      ),
    },
  };
}
