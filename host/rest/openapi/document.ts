import type { FastifyInstance } from 'fastify';
import type { Operation, RestBinding } from '../../../core/operations/operation.ts';
import type { Broker } from '../../compose.ts';
import { thisPackage } from '../../process/this-package.ts';
import { apiPrefix } from '../bind-operation.ts';
import { formatNames } from '../call/call-format.ts';
import { headers } from './answers.ts';
import { componentsOf, pascal } from './components.ts';
import { publicSchema, unnamed, type Json } from '../../schema/public-schema.ts';
import { routeOperation, type RouteOf } from './route-operation.ts';
import { samplesOf } from './samples.ts';
import { servicePaths } from './service-paths.ts';

const visible = { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' };

const parameters: Json = {
  'X-Request-Id': {
    name: 'X-Request-Id',
    in: 'header',
    required: false,
    description: 'Names this call, in the answer and in the log. One that is no such text is replaced.',
    schema: visible,
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'The same key with the same body gets the same answer and does nothing twice; with another body it is refused with 409. Kept as long as its request, and at least 7 days.',
    schema: visible,
  },
};

/** A name may be chosen for each call; refusals are JSON in any case. */
const schedulerParameter = (broker: Broker): Json => ({
  name: 'X-Scheduler',
  in: 'header',
  required: false,
  description: `The scheduler in whose form this call is answered; X-ORB-Scheduler is another name of the header. Default: \`${broker.scheduler.name}\`, whose form is described here.`,
  schema: { type: 'string', enum: formatNames(broker) },
});

const tags = [
  { name: 'Templates', description: 'What machines are made from.' },
  { name: 'Machines', description: 'Asking for machines and giving them back.' },
  { name: 'Requests', description: 'How requests for machines, and returns, stand.' },
  { name: 'Providers', description: 'Where machines come from.' },
  { name: 'Service', description: 'Whether and how the service runs.' },
];

const description = `Hands out machines from templates through cloud provider instances, follows them and takes them back.

Names are written in snake_case here; every field of a body and of a query may be written in camelCase as well, and some have further spellings, which their description names. A field that is written twice must say the same. Bodies are closed, except templates and the \`config\` of a provider: an unknown field is refused, with the nearest known name.

Every answer carries X-Request-Id; those of a limited route carry the X-RateLimit headers too, also when they refuse. Failures are \`{"detail": "…", "code": "…"}\`, and on the routes of several providers an \`error\` object. Both say everything that is wrong at once.`;

/** The whole REST face in OpenAPI 3.1, read off the operations and their routes, with the answers of the active scheduler strategy. */
export function openApiDocument(broker: Broker, app: Pick<FastifyInstance, 'hasRoute'>): Json {
  const components = componentsOf(broker);
  const schemas: Record<string, Json> = { ...components.schemas };

  /** Answers are named after the view, or after the operation. */
  function answer(operation: Operation<any, any>): Json {
    const schema = broker.rendering.schema(operation);
    const known = publicSchema(schema, components.named);
    if ('$ref' in known) return known;
    const name = typeof operation.output === 'string' ? views[operation.output as keyof typeof views] : `${pascal(operation.name)}Result`;
    schemas[name] ??= unnamed(schema as Json, components.named);
    return { $ref: `#/components/schemas/${name}` };
  }

  const parts = { broker, components: { ...components, schemas }, samples: samplesOf(broker), answer };
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of broker.operations.flatMap(routesOf)) {
    const path = (paths[`${apiPrefix}${route.rest.path}`] ??= {});
    path[route.rest.method.toLowerCase()] = routeOperation(route, parts);
  }
  for (const [path, item] of Object.entries(servicePaths(app, broker.configuration.server.rate_limit.enabled)))
    paths[path] = { ...paths[path], ...(item as Record<string, Json>) };
  const { version } = thisPackage;
  return {
    openapi: '3.1.0',
    info: {
      title: 'muster',
      version,
      summary: 'A resource broker',
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [],
    tags,
    paths,
    components: { schemas, parameters: { ...parameters, 'X-Scheduler': schedulerParameter(broker) }, headers },
  };
}

const views = {
  requested: 'Requested',
  returned: 'Returned',
  status: 'RequestStatus',
  listed: 'RequestList',
  templates: 'TemplateList',
  reclaims: 'ReclaimedMachines',
} as const;

/** The routes of an operation; the first has the operation's name. */
function routesOf(operation: Operation<any, any>): RouteOf[] {
  const bindings: readonly RestBinding[] = operation.rest === undefined ? [] : [operation.rest].flat();
  return bindings.map((rest, index) => ({ operation, rest, operationId: index === 0 ? operation.name : `${operation.name}_${index + 1}` }));
}
