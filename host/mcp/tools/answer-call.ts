import type { IncomingMessage, ServerResponse } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { asOneBatch } from './answer-batch.ts';
import { mcpServer, type McpOptions } from '../mcp-server.ts';

/**
 * Answers one call over streamable HTTP without a session: any process may answer the next call. `body`: the parsed
 * body.
 */
export async function answerCall(
  request: IncomingMessage,
  response: ServerResponse,
  body: unknown,
  options: McpOptions,
): Promise<void> {
  const server = mcpServer(options);
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  response.once('close', () => void server.close());
  await server.connect(transport as Parameters<typeof server.connect>[0]);
  await asOneBatch(() => transport.handleRequest(request, response, body));
}
