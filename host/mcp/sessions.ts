import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { mcpServer, type McpOptions } from './mcp-server.ts';
import { refuse } from './refuse.ts';

/** Sessions over streamable HTTP. */
export interface Sessions {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  close(): Promise<void>;
}

/** How a session is used. */
interface Use {
  /** Answers that are open, streams included. */
  open: number;
  used: number;
}

interface Session extends Use {
  readonly transport: StreamableHTTPServerTransport;
}

/** A client that has gone without a word is forgotten after this; one that comes back begins anew. */
const idleMs = 30 * 60_000;
const mostSessions = 1_000;

export function mcpSessions(options: McpOptions): Sessions {
  const sessions = new Map<string, Session>();

  async function begin(): Promise<Session> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      // Nothing is told between question and answer, so an answer need not be a stream.
      enableJsonResponse: true,
      onsessioninitialized: (id) => void sessions.set(id, session),
    });
    const session: Session = { transport, open: 0, used: performance.now() };
    const server = mcpServer(options);
    Object.assign(server, { onclose: () => sessions.delete(transport.sessionId ?? '') });
    await server.connect(transport as Parameters<typeof server.connect>[0]);
    return session;
  }

  function sweep(): void {
    for (const [id, { transport }] of forgettable(sessions, performance.now())) {
      sessions.delete(id);
      void transport.close();
    }
  }

  return {
    async handle(request, response) {
      const id = request.headers['mcp-session-id'];
      const known = typeof id === 'string' ? sessions.get(id) : undefined;
      if (id !== undefined && !known) return refuse(response, 404, -32001, 'The session is not known, or has ended; begin a new one.');
      if (!known) sweep();
      if (!known && sessions.size >= mostSessions)
        return refuse(response, 503, -32000, `${mostSessions} sessions are in use; try again later.`);
      const session = known ?? (await begin());
      session.open += 1;
      response.once('close', () => {
        session.open -= 1;
        session.used = performance.now();
      });
      await session.transport.handleRequest(request, response);
      if (session.transport.sessionId === undefined) await session.transport.close();
    },
    async close() {
      await Promise.all([...sessions.values()].map(({ transport }) => transport.close()));
    },
  };
}

/** Those that have been idle too long; and the longest idle ones, where there would be more than the most. */
export function forgettable<S extends Readonly<Use>>(sessions: ReadonlyMap<string, S>, now: number): [string, S][] {
  const idle = [...sessions].filter(([, { open }]) => open === 0).toSorted(([, a], [, b]) => a.used - b.used);
  const tooMany = sessions.size + 1 - mostSessions;
  return idle.filter(([, { used }], place) => place < tooMany || now - used > idleMs);
}
