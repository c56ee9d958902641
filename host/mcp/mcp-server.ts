import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { thisPackage } from '../process/this-package.ts';
import type { Operation } from '../../core/operations/operation.ts';
import type { ExecuteOperation } from './sessions/broker-access.ts';
import { answering, answerRequests, type Answering } from './answer-requests.ts';
import { inBatchOrder } from './tools/answer-batch.ts';
import { listResources, readResource, resourceTemplates } from './resources/resources.ts';
import { Subscriptions } from './resources/subscriptions.ts';
import type { WatchRequest } from './sessions/request-changes.ts';
import { toolbox } from './tools/toolbox.ts';

export interface McpOptions {
  /** Executes operations. */
  readonly execute: ExecuteOperation;
  /** The operations that are offered. Default: those of the broker, without services of plugins. */
  readonly operations?: readonly Operation<any, any>[];
  /** Offers only queries. Default false. */
  readonly read_only?: boolean;
  /** Watches requests, for clients that subscribe to them. Absent: the connection sends nothing by itself. */
  readonly watch?: WatchRequest;
}

/**
 * Creates the MCP server of one connection. It is not connected yet. `ended`: aborted when the connection is over.
 */
export function mcpServer(
  { execute: executeFor, operations, read_only = false, watch }: McpOptions,
  ended?: AbortSignal,
): Server {
  const server = new Server(thisPackage, {
    capabilities: { tools: {}, resources: watch ? { subscribe: true } : {} },
    instructions: instructions(read_only),
  });
  const execute: ExecuteOperation = (operation, input, signal) =>
    executeFor(operation, input, signal, server.getClientVersion()?.name);
  const tools = toolbox(read_only, operations);
  server.fallbackRequestHandler = answerRequests([
    answering(ListToolsRequestSchema, () => ({ tools: tools.offered() })),
    answering(CallToolRequestSchema, ({ params }, signal) =>
      inBatchOrder(() => tools.call(params.name, params.arguments ?? {}, execute, signal)),
    ),
    answering(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [...resourceTemplates] })),
    answering(ListResourcesRequestSchema, ({ params }, signal) =>
      inBatchOrder(() => listResources(params?.cursor, execute, signal)),
    ),
    answering(ReadResourceRequestSchema, ({ params }, signal) =>
      inBatchOrder(() => readResource(params.uri, execute, signal)),
    ),
    ...(watch ? subscribing(server, watch, ended) : []),
  ]);
  return server;
}

function subscribing(server: Server, watch: WatchRequest, ended: AbortSignal | undefined): readonly Answering[] {
  const subscriptions = new Subscriptions(
    watch,
    // A client that is gone gets nothing.
    (uri) => void server.sendResourceUpdated({ uri }).catch(() => undefined),
  );
  ended?.addEventListener('abort', () => subscriptions.close());
  return [
    answering(SubscribeRequestSchema, async ({ params }) => {
      await subscriptions.subscribe(params.uri);
      return {};
    }),
    answering(UnsubscribeRequestSchema, ({ params }) => {
      subscriptions.unsubscribe(params.uri);
      return {};
    }),
  ];
}

/** Returns the instructions that an agent reads before its first call. */
function instructions(readOnly: boolean): string {
  const how = readOnly
    ? ['This server is read-only: it cannot request, change or return anything.']
    : [
        'To get machines: choose a template (list_templates), call create_request with template_id and machine_count, then call sync_and_get_request with its request_id until status is completed, failed or cancelled. No call waits for the cloud: every call answers at once, and machines take minutes. Do not query the same request more often than every 2 seconds.',
        'A completed request may have fewer machines than requested: fulfilment contains the number and the reason. Failed and cancelled requests have none. explain_request says in one sentence why a request failed, came short or still waits; list_capacity says which offers lack capacity now.',
        'Machines cost money until they are returned: call create_return_request with their machine_ids, and poll the request_id of its answer in the same way. cancel_request stops a request that is still in progress and returns its machines.',
        'Calls marked destructive terminate machines or delete records; cleanup_all_resources returns every machine of every user and needs confirm: true. Ask the user first.',
      ];
  const rest = [
    'A failure has error.type, error.code and a message with the remedy; INVALID_REQUEST lists every invalid field at once. UNAVAILABLE and RATE_LIMITED are temporary: try again later.',
    'The same data are available as resources: muster://templates, muster://requests, muster://machines, muster://providers, and each entry below them by its id. A client whose connection allows it may subscribe to muster://requests/{request_id} instead of polling.',
  ];
  return [
    'muster requests machines from cloud provider instances by templates, tracks them and releases them.',
    ...how,
    ...rest,
  ].join('\n\n');
}
