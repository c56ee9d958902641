import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { thisPackage } from '../process/this-package.ts';
import type { ExecuteOperation } from './sessions/broker-access.ts';
import { instructions } from './instructions.ts';
import { inBatchOrder } from './tools/answer-batch.ts';
import { listResources, readResource, resourceTemplates } from './resources/resources.ts';
import { toolbox } from './tools/toolbox.ts';

export interface McpOptions {
  /** Executes operations. */
  readonly execute: ExecuteOperation;
  /** Offers only queries. Default false. */
  readonly read_only?: boolean;
}

/** Creates the MCP server of one connection. It is not connected yet. */
export function mcpServer({ execute, read_only = false }: McpOptions): Server {
  const server = new Server(thisPackage, {
    capabilities: { tools: {}, resources: {} },
    instructions: instructions(read_only),
  });
  const tools = toolbox(read_only);
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.offered() }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) =>
    inBatchOrder(() => tools.call(params.name, params.arguments ?? {}, execute, signal)),
  );
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [...resourceTemplates] }));
  server.setRequestHandler(ListResourcesRequestSchema, ({ params }, { signal }) =>
    inBatchOrder(() => listResources(params?.cursor, execute, signal)),
  );
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }, { signal }) =>
    inBatchOrder(() => readResource(params.uri, execute, signal)),
  );
  return server;
}
