import { csvOf } from '../../../core/operations/usage/csv.ts';
import type { Code } from '../../../core/contract/errors.ts';
import type { Operation } from '../../../core/operations/operation.ts';
import { isObject } from '../../../core/schema/is-object.ts';
import type { RestBinding } from '../../../core/contract/service/rest-binding.ts';
import type { Broker } from '../../compose.ts';
import { routeSchema } from '../route-input.ts';
import { headersOf, refusalsOf } from './answers.ts';
import type { Components } from './components.ts';
import { exampleOf } from './example-of.ts';
import { publicSchema, type Json } from '../../schema/public-schema.ts';
import type { Samples } from './samples.ts';

export interface RouteOf {
  readonly operation: Operation<any, any>;
  readonly rest: RestBinding;
  readonly operationId: string;
}

export interface Parts {
  readonly broker: Broker;
  readonly components: Components;
  readonly samples: Samples;
  /** Returns a reference to the schema of the answers. */
  answer(operation: Operation<any, any>): Json;
}

/** Returns one route of an operation as an OpenAPI operation. */
export function routeOperation({ operation, rest, operationId }: RouteOf, parts: Parts): Json {
  const { components, samples } = parts;
  const limited = rest.limit !== undefined && parts.broker.configuration.server.rate_limit.enabled;
  const form = rest.errors ?? 'detail';
  const input = inputOf(operation, rest, parts);
  const schema = parts.answer(operation);
  const example = exampleOf(schema, samples.values, components.schemas);
  const [media = ''] = parts.broker.rendering.mediaType(operation).split(';');
  const observed = operation.output === 'status' ? ['X-Observed-At'] : [];
  return {
    operationId,
    ...summaryOf(operation, rest, parts),
    tags: [tagOf(rest.path)],
    ...(rest.limit === undefined ? {} : { 'x-rate-limit-group': rest.limit }),
    parameters: [
      ...input.parameters,
      ...(rest.idempotent ? [{ $ref: '#/components/parameters/Idempotency-Key' }] : []),
      ...(parts.broker.rendering.dependsOnScheduler(operation)
        ? [{ $ref: '#/components/parameters/X-Scheduler' }]
        : []),
      requestIdParameter,
    ],
    ...(input.body ? { requestBody: input.body } : {}),
    responses: {
      [String(rest.status ?? 200)]: {
        description: 'The answer.',
        content: {
          [media]: {
            schema,
            // A strategy may render text, or answers that its schema does not describe.
            example: isObject(example) ? withSampleAnswer(example, operation, samples) : example,
          },
          ...(rest.csv ? csvContent(rest.csv) : {}),
        },
        headers: headersOf({ limited }, ...observed),
      },
      ...refusalsOf(
        codesOf(operation, { limited, idempotent: rest.idempotent === true, body: input.body !== undefined }),
        {
          form,
          limited,
        },
      ),
    },
  };
}

/** The CSV that a call with `Accept: text/csv` gets. */
const csvContent = ({ columns }: NonNullable<RestBinding['csv']>): Json => ({
  'text/csv': { schema: { type: 'string' }, example: csvOf([], columns({})) },
});

/** The example, with the sample values of this operation in the fields that it has. */
const withSampleAnswer = (example: Json, { name }: Operation<any, any>, { answers }: Samples): Json => ({
  ...example,
  ...Object.fromEntries(Object.entries(answers[name] ?? {}).filter(([field]) => Object.hasOwn(example, field))),
});

/** The first sentence of the summary is the title; the other sentences and the rate limit form the description. */
function summaryOf({ summary }: Operation<any, any>, { limit }: RestBinding, { broker }: Parts): Json {
  const { enabled, ...limits } = broker.configuration.server.rate_limit;
  const [title = '', ...rest] = summary.split(/(?<=[.:]) /);
  const counted =
    enabled && limit ? [`Rate limit group \`${limit}\`: ${limits[limit]} calls per minute and client.`] : [];
  const description = [...rest, ...counted].join(' ');
  return { summary: title.replace(/:$/, '.'), ...(description === '' ? {} : { description }) };
}

const requestIdParameter = { $ref: '#/components/parameters/X-Request-Id' };

export const tagOf = (path: string): string => {
  const [, first = ''] = path.replace(/^\/inventory\//, '/machines/').split('/');
  return `${first.charAt(0).toUpperCase()}${first.slice(1)}`;
};

/**
 * Returns the parameters: the fields of the path, and of the query when there is no body. With a body, the other
 * fields form the body.
 */
function inputOf(
  operation: Operation<any, any>,
  rest: RestBinding,
  { components, samples }: Parts,
): { parameters: Json[]; body?: Json } {
  const { named, schemas } = components;
  const schema = routeSchema(operation, rest) as unknown as Json;
  const inPath = [...rest.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
  const hasBody = rest.method === 'POST' || rest.method === 'PUT';
  const fields = Object.entries(schema['properties'] as Record<string, Json>);
  const call = samples.calls[operation.name] ?? {};
  const parameters = fields
    .filter(([name]) => inPath.includes(name) || !hasBody)
    .map(([name, field]) => {
      const { description, ...shape } = publicSchema(field, named, name);
      const place = inPath.includes(name) ? 'path' : 'query';
      const required = place === 'path' || (schema['required'] as string[]).includes(name);
      const example = required ? { example: call[name] ?? exampleOf(shape, samples.values, schemas, name) } : {};
      return { name, in: place, required, ...(description ? { description } : {}), schema: shape, ...example };
    });
  if (!hasBody) return { parameters };
  const own = fields.filter(([name]) => !inPath.includes(name));
  const open = schema['additionalProperties'] !== false;
  if (own.length === 0 && !open) return { parameters };
  const required = (schema['required'] as string[]).filter((name) => !inPath.includes(name));
  const properties = Object.fromEntries(
    own.map(([name, field]) => [name, detailedSchemas[name] ?? publicSchema(field, named, name)]),
  );
  const body = open
    ? templateBody(properties, operation, schemas)
    : { type: 'object', properties, required, additionalProperties: false };
  const named_ = Object.fromEntries(Object.entries(call).filter(([name]) => !inPath.includes(name)));
  const example = Object.keys(named_).length > 0 ? named_ : exampleOf(body, samples.values, schemas);
  return {
    parameters,
    body: { required: required.length > 0 || open, content: { 'application/json': { schema: body, example } } },
  };
}

/** Schemas of fields that the route itself accepts without checks, since the operation checks them. */
const detailedSchemas: Readonly<Record<string, Json>> = {
  template: {
    $ref: '#/components/schemas/TemplateFields',
    description: 'A template. It need not exist in the broker.',
  },
  providers: {
    type: 'array',
    items: { $ref: '#/components/schemas/ProviderEntry' },
    description: 'Provider entries.',
  },
};

/** The body of a route that accepts template fields, and the further fields of its operation. */
function templateBody(properties: Json, operation: Operation<any, any>, schemas: Json): Json {
  const fields = schemas['TemplateFields']['properties'] as Json;
  const more = Object.fromEntries(Object.entries(properties).filter(([name]) => !Object.hasOwn(fields, name)));
  return {
    description: 'Fields of a template; each name is also accepted in camelCase. Unknown fields are kept.',
    allOf: [
      { $ref: '#/components/schemas/TemplateFields' },
      ...(Object.keys(more).length > 0 ? [{ type: 'object', properties: more }] : []),
    ],
    ...(operation.name === 'create_template' ? { required: ['template_id'] } : {}),
  };
}

interface Kind {
  readonly limited: boolean;
  readonly idempotent: boolean;
  readonly body: boolean;
}

function codesOf({ refusals = [] }: Operation<any, any>, { limited, idempotent, body }: Kind): readonly Code[] {
  return [
    'INVALID_REQUEST',
    ...refusals,
    ...(idempotent ? (['CONFLICT'] as const) : []),
    ...(body ? (['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const) : []),
    ...(limited ? (['RATE_LIMITED'] as const) : []),
    'INTERNAL',
  ];
}
