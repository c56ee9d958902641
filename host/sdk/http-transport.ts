import type { Agent } from 'node:http';

/** Where a server listens. */
export type Address = { readonly url: string } | { readonly socket_path: string };

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface Received {
  readonly status: number;
  readonly body: string;
}

export interface Transport {
  /** For messages to people. */
  readonly where: string;
  /** Rejects when there is no whole answer. */
  send(call: Sent): Promise<Received>;
  close(): void;
}

/** HTTP/1.1 over TCP or a Unix socket, connections kept. */
export function httpTransport(address: Address, timeout_ms: number): Transport {
  // Not imported: as an ES module it would load much that nobody here uses, at every start of a command.
  const http = process.getBuiltinModule('node:http');
  const https =
    'url' in address && address.url.startsWith('https:') ? process.getBuiltinModule('node:https') : undefined;
  const agent: Agent = new (https ?? http).Agent({ keepAlive: true });
  const base = 'url' in address ? new URL(address.url) : undefined;
  const to = base
    ? { host: base.hostname.replace(/^\[|\]$/g, ''), port: base.port || (https ? 443 : 80) }
    : { socketPath: (address as { socket_path: string }).socket_path };
  const prefix = base ? base.pathname.replace(/\/$/, '') : '';

  return {
    where: 'url' in address ? address.url : address.socket_path,

    send({ method, path, body, headers = {}, signal }) {
      return new Promise((resolve, reject) => {
        const request = (https ?? http).request({
          ...to,
          agent,
          method,
          path: `${prefix}${path}`,
          headers: {
            ...(base ? { host: base.host } : { host: 'localhost' }),
            ...(body === undefined
              ? {}
              : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
            ...headers,
          },
          timeout: timeout_ms,
          ...(signal ? { signal } : {}),
        });
        request.once('timeout', () =>
          request.destroy(new Error(`no answer within ${Math.round(timeout_ms / 1000)} s`)),
        );
        request.once('error', reject);
        request.once('response', (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.once('error', reject);
          response.once('end', () =>
            resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }),
          );
        });
        request.end(body);
      });
    },

    close: () => agent.destroy(),
  };
}
