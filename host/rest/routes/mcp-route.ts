import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Broker } from '../../compose.ts';
import { isLocalCall } from '../../http/local-call.ts';
import type { ExecuteOperation } from '../../mcp/sessions/broker-access.ts';
import { remoteExecutor } from '../../sdk/remote-executor.ts';
import { localExecutor } from '../../sdk/local-executor.ts';
import type { PathTable } from './path-table.ts';

const path = '/mcp';

/**
 * Agents at the server itself: streamable HTTP without sessions, so that every process of a server may answer. Nothing of it is loaded before somebody
 * asks. Operations go the way of every other call, with its limits; those over the Unix socket are not limited.
 */
export function bindMcpRoute(app: FastifyInstance, paths: PathTable, broker: Broker): void {
  paths.add('POST', path, 'detail');
  const inHere = localExecutor(broker);

  /** The calls of one request, counted for whom it came from. */
  function carryFor({ ip, id }: FastifyRequest): ExecuteOperation {
    const carry = remoteExecutor({
      where: 'this server',
      async send({ path: url, body }) {
        const headers = { 'content-type': 'application/json', 'x-request-id': id };
        const answer = await app.inject({ method: 'POST', url, payload: body ?? '', headers, remoteAddress: ip });
        return { status: answer.statusCode, body: answer.body };
      },
      close() {},
    });
    return (operation, input, signal) => carry(operation, input, { signal });
  }

  app.post(path, async (request: FastifyRequest, reply: FastifyReply) => {
    const { answerCall } = await import('../../mcp/tools/answer-call.ts');
    reply.hijack();
    for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) reply.raw.setHeader(name, value);
    const carry: ExecuteOperation = isLocalCall(request.raw)
      ? (operation, input, signal) => inHere(operation, input, { signal })
      : carryFor(request);
    await answerCall(request.raw, reply.raw, request.body, { carry });
  });
}
