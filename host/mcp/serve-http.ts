import type { AddressInfo } from 'node:net';
import { setImmediate as nextIteration, setTimeout as sleep } from 'node:timers/promises';
import { urlOf } from '../http/url-of.ts';
import { securityHeaders } from '../http/security-headers.ts';
import { cannotListen } from '../http/serve-http.ts';
import type { BrokerAccess } from './sessions/broker-access.ts';
import { objectionToHost, objectionToOrigin } from '../http/check-host-and-origin.ts';
import { refuse } from './tools/protocol-error.ts';
import { mcpSessions } from './sessions/sessions.ts';

export interface McpHttpOptions {
  readonly access: BrokerAccess;
  readonly read_only: boolean;
  readonly host: string;
  readonly port: number;
  /** Further host names under which clients may call the server. */
  readonly names: readonly string[];
  /** Further origins whose web pages may call the server. */
  readonly origins: readonly string[];
}

export interface McpHttpServer {
  /** `http://127.0.0.1:8001/mcp` */
  readonly url: string;
  /** The address on which the server listens. */
  readonly address: string;
  close(): Promise<void>;
}

const path = '/mcp';
/** Milliseconds to wait for open calls at the end, and for their answers to be read. */
const drainMs = 10_000;
const flushMs = 1_000;

/** Serves any number of clients over streamable HTTP. */
export async function serveMcpHttp({
  access,
  read_only,
  host,
  port,
  names,
  origins,
}: McpHttpOptions): Promise<McpHttpServer> {
  const sessions = mcpSessions({ execute: access.execute, watch: access.watch, read_only });
  // Not imported: as an ES module this builtin would evaluate much unused code.
  const server = process
    .getBuiltinModule('node:http')
    .createServer({ requestTimeout: 60_000 }, (request, response) => {
      for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
      const objection =
        objectionToHost(request.headers.host, [host, ...names]) ??
        objectionToOrigin(request.headers.origin, request.headers.host, origins);
      if (objection !== undefined) return refuse(response, 403, -32000, objection);
      if (request.url?.split('?', 1)[0] !== path)
        return refuse(response, 404, -32000, `There is nothing at this path; the protocol is served at ${path}.`);
      sessions.handle(request, response).catch((error: unknown) => {
        if (!response.headersSent)
          refuse(response, 500, -32603, error instanceof Error ? error.message : String(error));
      });
    });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(cannotListen(host, port, cause)));
    server.listen(port, host, resolve);
  });
  const { address, port: boundPort } = server.address() as AddressInfo;
  return {
    url: `${urlOf({ host, port: boundPort })}${path}`,
    address,
    async close() {
      const closed = new Promise((resolve) => void server.close(resolve));
      await Promise.race([access.idle(), sleep(drainMs, undefined, { ref: false })]);
      // Finished answers are written in the next iterations of the event loop.
      await nextIteration();
      await sessions.close();
      const sweep = setInterval(() => server.closeIdleConnections(), 20);
      const timeout = setTimeout(() => server.closeAllConnections(), flushMs);
      await closed;
      clearInterval(sweep);
      clearTimeout(timeout);
    },
  };
}
