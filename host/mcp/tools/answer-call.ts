import type { IncomingMessage, ServerResponse } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { inOneAnswer } from './one-answer.ts';
import { mcpServer, type McpOptions } from '../mcp-server.ts';

/**
 * Answers one call over streamable HTTP by itself, without a session: any process may answer the next one. `body` is
 * what was read of it.
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
  await inOneAnswer(() => transport.handleRequest(request, response, body));
}
