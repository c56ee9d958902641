import type { FastifyInstance } from 'fastify';
import type { Operation } from '../../../core/operations/operation.ts';
import type { RestBinding } from '../../../core/contract/service/rest-binding.ts';
import type { Broker } from '../../compose.ts';
import { thisPackage } from '../../process/this-package.ts';
import { apiPrefix } from '../bind-operation.ts';
import { formatNames } from '../call/call-format.ts';
import { headers } from './answers.ts';
import { componentsOf, pascal } from './components.ts';
import { publicSchema, unnamed, type Json } from '../../schema/public-schema.ts';
import { routeOperation, type RouteOf } from './route-operation.ts';
import { samplesOf } from './samples.ts';
import { addStreamPaths } from './stream-paths.ts';
import { servicePaths } from './service-paths.ts';

const visible = { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' };

const parameters: Json = {
  'X-Request-Id': {
    name: 'X-Request-Id',
    in: 'header',
    required: false,
    description: 'Identifies this call in the answer and in the log. An invalid value is replaced by a generated one.',
    schema: visible,
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'A repeated call with the same key and the same body gets the same answer and changes nothing; with another body it is refused with 409. A key is kept as long as its request, and at least 7 days.',
    schema: visible,
  },
};

/** The scheduler format of one call. Errors are JSON in every format. */
const schedulerParameter = (broker: Broker): Json => ({
  name: 'X-Scheduler',
  in: 'header',
  required: false,
  description: `The scheduler strategy that formats the answer; X-ORB-Scheduler is an alias of the header. Default: \`${broker.scheduler.name}\`, the format that this document describes.`,
  schema: { type: 'string', enum: formatNames(broker) },
});

const tags = [
  { name: 'Templates', description: 'Templates, from which machines are created.' },
  { name: 'Machines', description: 'Request machines and return them.' },
  { name: 'Requests', description: 'The state of requests for machines and of returns.' },
  { name: 'Events', description: 'What happened, and what happens.' },
  { name: 'Capacity', description: 'The offers of the templates, and which of them lack capacity.' },
  { name: 'Brokers', description: 'The brokers that share a storage.' },
  { name: 'Budgets', description: 'Limits on what machines may use together.' },
  { name: 'Usage', description: 'What machines were used, and what they cost.' },
  { name: 'Providers', description: 'Provider instances, which supply the machines.' },
  { name: 'Service', description: 'Health and metrics of the service.' },
];

const description = `muster requests machines from cloud provider instances by templates, tracks them and releases them.

This document writes names in snake_case; every field of a body and of a query is also accepted in camelCase, and some fields have further spellings, which their description lists. A field that occurs in two spellings must have the same value in both. Bodies are closed, except templates and the \`config\` of a provider: an unknown field is refused with the nearest known name.

Every answer has the header X-Request-Id; every answer of a limited route, errors included, also has the X-RateLimit headers. Errors are \`{"detail": "…", "code": "…"}\`, and on the routes of several providers an \`error\` object. Both report all errors of a call at once.`;

/**
 * Generates the OpenAPI 3.1 document of the REST interface from the operations and their routes, with the answers of
 * the active scheduler strategy.
 */
export function openApiDocument(broker: Broker, app: Pick<FastifyInstance, 'hasRoute'>): Json {
  const components = componentsOf(broker);
  const schemas: Record<string, Json> = { ...components.schemas };

  /** The schema of an answer has the name of the view, or of the operation. */
  function answer(operation: Operation<any, any>): Json {
    const schema = broker.rendering.schema(operation);
    const known = publicSchema(schema, components.named);
    if ('$ref' in known) return known;
    const name =
      typeof operation.output === 'string'
        ? views[operation.output as keyof typeof views]
        : `${pascal(operation.name)}Result`;
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
  addStreamPaths(paths, app, { limited: broker.configuration.server.rate_limit.enabled, named: components.named });
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

/** Returns the routes of an operation; the operationId of the first is the name of the operation. */
function routesOf(operation: Operation<any, any>): RouteOf[] {
  const bindings: readonly RestBinding[] = operation.rest === undefined ? [] : [operation.rest].flat();
  return bindings.map((rest, index) => ({
    operation,
    rest,
    operationId: index === 0 ? operation.name : `${operation.name}_${index + 1}`,
  }));
}
