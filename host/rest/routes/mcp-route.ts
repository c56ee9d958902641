import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Broker } from '../../compose.ts';
import type { CallingProgram } from '../../http/calling-program.ts';
import { isLocalCall } from '../../http/local-call.ts';
import type { ExecuteOperation } from '../../mcp/sessions/broker-access.ts';
import { remoteExecutor } from '../../sdk/remote-executor.ts';
import { localExecutor } from '../../sdk/local-executor.ts';
import { endSpanWithAnswer } from '../call/call-spans.ts';
import type { PathTable } from './path-table.ts';

const path = '/mcp';

/**
 * Binds MCP at the server itself: streamable HTTP without sessions, so that every process of a server can answer.
 * Loads its code at the first call. Operations run like any other call, with its rate limits; calls over the Unix
 * socket are not limited.
 */
export function bindMcpRoute(app: FastifyInstance, paths: PathTable, broker: Broker): void {
  paths.add('POST', path, 'detail');
  const executeLocally = localExecutor(broker);
  const { actor_header } = broker.configuration.server;

  /** Executes operations for one request; they count against the rate limits of its client. */
  function executorFor({ ip, id, headers: given }: FastifyRequest): ExecuteOperation {
    const name = actor_header === null ? undefined : given[actor_header.toLowerCase()];
    const execute = remoteExecutor({
      where: 'this server',
      async send({ path: url, body, headers: own }) {
        const headers = {
          ...own,
          'content-type': 'application/json',
          'x-request-id': id,
          ...broker.tracer.current(),
          ...(actor_header === null || name === undefined ? {} : { [actor_header]: name }),
        };
        const answer = await app.inject({ method: 'POST', url, payload: body ?? '', headers, remoteAddress: ip });
        return { status: answer.statusCode, body: answer.body };
      },
      close() {},
    });
    return (operation, input, signal, client) => execute(operation, input, { signal, by: agent(client) });
  }

  const config = { operation: 'mcp' };
  app.post(path, { config }, async (request: FastifyRequest, reply: FastifyReply) => {
    const { answerCall } = await import('../../mcp/tools/answer-call.ts');
    reply.hijack();
    endSpanWithAnswer(request, reply);
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) reply.raw.setHeader(name, value);
    const execute: ExecuteOperation = isLocalCall(request.raw)
      ? (operation, input, signal) => executeLocally(operation, input, { signal })
      : executorFor(request);
    await answerCall(request.raw, reply.raw, request.body, {
      execute,
      ...(broker.hasServices ? { operations: broker.operations } : {}),
    });
  });
}

const agent = (client: string | undefined): CallingProgram => ({
  interface: 'mcp',
  ...(client === undefined ? {} : { user: client }),
});
