import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { clientOf } from '../../http/client-address.ts';
import { mcpServer, type McpOptions } from '../mcp-server.ts';
import { refuse } from '../tools/protocol-error.ts';
import { asOneBatch } from '../tools/answer-batch.ts';
import { evictableSessions, maxSessions, type SessionUse } from './session-use.ts';

/** The sessions of streamable HTTP. */
export interface Sessions {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  close(): Promise<void>;
}

export interface SessionOptions extends McpOptions {
  /** Maximum number of sessions. Default 1 000. */
  readonly most?: number;
  /** Returns the client of a call. Default: its address. */
  readonly client?: (request: IncomingMessage) => string;
}

interface Session extends SessionUse {
  readonly transport: StreamableHTTPServerTransport;
}

const addressOf = ({ socket }: IncomingMessage): string => clientOf({ ip: socket.remoteAddress ?? '', socket });

export function mcpSessions({
  most: limit = maxSessions,
  client: clientOfCall = addressOf,
  ...options
}: SessionOptions): Sessions {
  const sessions = new Map<string, Session>();

  async function begin(client: string): Promise<Session> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      // Nothing is sent about a call before its answer, so an answer need not be a stream.
      enableJsonResponse: true,
      onsessioninitialized: (id) => void sessions.set(id, session),
    });
    const session: Session = { transport, client, calls: 0, streams: 0, used: performance.now() };
    const over = new AbortController();
    const server = mcpServer(options, over.signal);
    const onclose = () => {
      over.abort();
      sessions.delete(transport.sessionId ?? '');
    };
    Object.assign(server, { onclose });
    await server.connect(transport as Parameters<typeof server.connect>[0]);
    return session;
  }

  function sweep(client: string): void {
    for (const [id, { transport }] of evictableSessions(sessions, performance.now(), client, limit)) {
      sessions.delete(id);
      void transport.close();
    }
  }

  return {
    async handle(request, response) {
      const id = request.headers['mcp-session-id'];
      const known = typeof id === 'string' ? sessions.get(id) : undefined;
      if (id !== undefined && !known)
        return refuse(response, 404, -32001, 'The session is unknown or has ended; start a new one.');
      const client = clientOfCall(request);
      if (!known) sweep(client);
      if (!known && sessions.size >= limit)
        return refuse(response, 503, -32000, `${limit} sessions are in use; try again later.`);
      const session = known ?? (await begin(client));
      const kind = request.method === 'GET' ? 'streams' : 'calls';
      session[kind] += 1;
      response.once('close', () => {
        session[kind] -= 1;
        session.used = performance.now();
      });
      await asOneBatch(() => session.transport.handleRequest(request, response));
      if (session.transport.sessionId === undefined) await session.transport.close();
    },
    async close() {
      await Promise.all([...sessions.values()].map(({ transport }) => transport.close()));
    },
  };
}
