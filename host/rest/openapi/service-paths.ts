import type { FastifyInstance } from 'fastify';
import { codes, type Code } from '../../../core/contract/errors.ts';
import { exitCodeHeader, scriptNames, type ScriptName } from '../../hostfactory/client/script-call.ts';
import { scriptBody } from '../../hostfactory/script-body.ts';
import { scriptGroups } from '../../hostfactory/routes.ts';
import { apiPrefix } from '../bind-operation.ts';
import { headersOf, jsonAnswer, refusalsOf } from './answers.ts';
import type { Json } from '../../schema/public-schema.ts';
import { alive, info, notReady, ready, type Shape } from './service-shapes.ts';

const text = { type: 'string' };
const headers = headersOf({ limited: false });
const parameters = [{ $ref: '#/components/parameters/X-Request-Id' }];

const answer = (description: string, { schema, example }: Shape): Json => ({
  ...jsonAnswer(description, schema, example),
  headers,
});

const service = (operationId: string, summary: string, responses: Json): Json => ({
  operationId,
  summary,
  tags: ['Service'],
  parameters,
  responses,
});

const readiness = (operationId: string, summary: string): Json =>
  service(operationId, summary, {
    '200': answer('Every check is `ok` that counts.', ready),
    '503': {
      ...answer('A check is not `ok`; `checks` contains the reasons.', notReady),
      headers: headersOf({ limited: false }, 'Retry-After'),
    },
  });

const planned = (operationId: string, summary: string, path: readonly Json[]): Json => ({
  operationId,
  summary,
  tags: ['Machines'],
  parameters: [...path, ...parameters],
  responses: refusalsOf(['NOT_IMPLEMENTED'], { form: 'detail', limited: false }),
});

const reads: Readonly<Record<string, Json>> = {
  [`${apiPrefix}/machines/`]: planned(
    'machines_planned',
    `Planned and not served: GET ${apiPrefix}/inventory/ lists machines.`,
    [],
  ),
  [`${apiPrefix}/machines/{machine_id}`]: planned(
    'machine_planned',
    `Planned and not served: GET ${apiPrefix}/inventory/{machine_id} shows a machine.`,
    [{ name: 'machine_id', in: 'path', required: true, schema: text, example: 'i-0a1b2c3d4e5f60718' }],
  ),
  '/livez': service('livez', 'Whether the process runs.', { '200': answer('The process runs.', alive) }),
  '/readyz': readiness('readyz', 'Whether the server can serve, whatever its providers do.'),
  '/health': readiness('health', 'Whether the server can serve, and an enabled provider instance answers.'),
  '/info': service('info', 'Name, version and settings of the server.', {
    '200': answer('Name, version and settings of the server.', info),
  }),
  '/metrics': service('metrics', 'Metrics for Prometheus.', {
    '200': {
      description: 'The metrics in the text format of Prometheus.',
      headers,
      content: { 'text/plain': { schema: text } },
    },
  }),
  '/openapi.json': service('openapi', 'This document.', {
    '200': { description: 'OpenAPI 3.1.', headers, content: { 'application/json': { schema: { type: 'object' } } } },
  }),
};

const anyOperation = (limited: boolean): Json => ({
  operationId: 'call_operation',
  summary: 'Calls any operation by its name, for the SDK and the command line.',
  description:
    'The answer has the format of the default scheduler. The call counts for the rate limit group of its operation; for the group of providers when the operation has no route.',
  tags: ['Service'],
  parameters: [
    { name: 'operation', in: 'path', required: true, schema: text, example: 'get_active_machine_count' },
    { $ref: '#/components/parameters/Idempotency-Key' },
    ...parameters,
  ],
  requestBody: {
    required: false,
    content: {
      'application/json': { schema: { type: 'object', description: 'The input of the operation.' }, example: {} },
    },
  },
  responses: {
    '200': {
      ...jsonAnswer(
        'The answer of the operation.',
        { type: 'object' },
        { active_count: 2, by_status: { running: 2 } },
      ),
      headers: headersOf({ limited }),
    },
    ...refusalsOf(Object.keys(codes) as Code[], { form: 'error', limited }),
  },
});

const inputs: Readonly<Record<ScriptName, unknown>> = {
  getAvailableTemplates: {},
  requestMachines: { template: { templateId: 'small', machineCount: 2 } },
  requestReturnMachines: { machines: [{ name: 'ip-10-0-0-1.ec2.internal', machineId: 'i-0a1b2c3d4e5f60718' }] },
  getRequestStatus: { requests: [{ requestId: 'req-0197f2b4' }] },
  getReturnRequests: { machines: [] },
  getAvailableMachines: {},
};

const script = (name: ScriptName, limited: boolean): Json => {
  const counted = limited && scriptGroups[name] !== undefined;
  return {
    operationId: `hostfactory_${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`,
    summary: `Serves the HostFactory script ${name}.`,
    description: 'The answer is the output of the script, also on failure: the header contains its exit code.',
    tags: ['Service'],
    ...(counted ? { 'x-rate-limit-group': scriptGroups[name] } : {}),
    parameters: [{ $ref: '#/components/parameters/Idempotency-Key' }, ...parameters],
    requestBody: {
      required: false,
      content: {
        'application/json': { schema: scriptBody, example: { input: inputs[name], env: { dialect: 'symphony' } } },
      },
    },
    responses: {
      '200': {
        ...jsonAnswer('The output of the script.', { type: 'object' }, { message: 'What happened.' }),
        headers: {
          ...headersOf({ limited: counted }),
          [exitCodeHeader]: {
            description: 'The exit code of the script.',
            schema: { type: 'string', enum: ['0', '1'] },
          },
        },
      },
      ...refusalsOf(['PAYLOAD_TOO_LARGE', ...(counted ? (['RATE_LIMITED'] as const) : [])], {
        form: 'detail',
        limited: counted,
      }),
    },
  };
};

/** Returns the routes that do not belong to a single operation. Contains only routes that this server serves. */
export function servicePaths(app: Pick<FastifyInstance, 'hasRoute'>, limited: boolean): Json {
  const operationPath = `${apiPrefix}/operations/{operation}`;
  const served = (method: 'GET' | 'POST', path: string) =>
    app.hasRoute({ method, url: path.replace(/\{(\w+)\}/g, ':$1') });
  return {
    ...Object.fromEntries(
      Object.entries(reads).flatMap(([path, get]) => (served('GET', path) ? [[path, { get }]] : [])),
    ),
    ...(served('POST', operationPath) ? { [operationPath]: { post: anyOperation(limited) } } : {}),
    ...Object.fromEntries(
      scriptNames.flatMap((name) => {
        const path = `${apiPrefix}/hostfactory/${name}`;
        return served('POST', path) ? [[path, { post: script(name, limited) }]] : [];
      }),
    ),
  };
}
