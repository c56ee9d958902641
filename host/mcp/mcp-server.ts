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
import { withinAnswer } from './tools/one-answer.ts';
import { listResources, readResource, resourceTemplates } from './resources/resources.ts';
import { toolbox } from './tools/toolbox.ts';

export interface McpOptions {
  /** Carries operations out. */
  readonly carry: ExecuteOperation;
  /** Offer queries only. Default false. */
  readonly read_only?: boolean;
}

/** muster as agents reach it, for one connection; it is connected to nothing yet. */
export function mcpServer({ carry, read_only = false }: McpOptions): Server {
  const server = new Server(thisPackage, {
    capabilities: { tools: {}, resources: {} },
    instructions: instructions(read_only),
  });
  const tools = toolbox(read_only);
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.offered() }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) =>
    withinAnswer(() => tools.call(params.name, params.arguments ?? {}, carry, signal)),
  );
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [...resourceTemplates] }));
  server.setRequestHandler(ListResourcesRequestSchema, ({ params }, { signal }) =>
    withinAnswer(() => listResources(params?.cursor, carry, signal)),
  );
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }, { signal }) =>
    withinAnswer(() => readResource(params.uri, carry, signal)),
  );
  return server;
}
