import type { Agent, IncomingMessage } from 'node:http';

/** The address of a server. */
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

/** An answer that is read while it is sent. */
export interface OpenAnswer {
  readonly status: number;
  readonly body: AsyncIterable<Uint8Array>;
}

export interface Transport {
  /** The address as text, for messages. */
  readonly where: string;
  /** Sends a call. Rejects when no complete answer arrives. */
  send(call: Sent): Promise<Received>;
  /**
   * Sends a call whose answer takes long. Rejects when none begins; its body rejects when the connection breaks, or
   * when nothing arrives for the time-out.
   */
  open(call: Sent): Promise<OpenAnswer>;
  close(): void;
}

/** Creates a transport for HTTP/1.1 over TCP or a Unix socket, with keep-alive connections. */
export function httpTransport(address: Address, timeout_ms: number): Transport {
  // Not imported: as an ES module this builtin would evaluate much unused code at every start of a command.
  const http = process.getBuiltinModule('node:http');
  const https =
    'url' in address && address.url.startsWith('https:') ? process.getBuiltinModule('node:https') : undefined;
  const agent: Agent = new (https ?? http).Agent({ keepAlive: true });
  const base = 'url' in address ? new URL(address.url) : undefined;
  const to = base
    ? { host: base.hostname.replace(/^\[|\]$/g, ''), port: base.port || (https ? 443 : 80) }
    : { socketPath: (address as { socket_path: string }).socket_path };
  const prefix = base ? base.pathname.replace(/\/$/, '') : '';

  function begin({ method, path, body, headers = {}, signal }: Sent): Promise<IncomingMessage> {
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
      request.once('timeout', () => request.destroy(new Error(`no answer within ${Math.round(timeout_ms / 1000)} s`)));
      // An answer that breaks reports it too.
      request.on('error', reject);
      request.once('response', resolve);
      request.end(body);
    });
  }

  return {
    where: 'url' in address ? address.url : address.socket_path,

    async send(call) {
      const answer = await begin(call);
      const chunks: Buffer[] = [];
      await new Promise<void>((resolve, reject) => {
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.once('error', reject).once('end', resolve);
      });
      return { status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString() };
    },

    async open(call) {
      const answer = await begin({ ...call, headers: { 'accept-encoding': 'gzip', ...call.headers } });
      return { status: answer.statusCode ?? 0, body: decoded(answer) };
    },

    close: () => agent.destroy(),
  };
}

/** Bytes of the decoded parts of an answer at most, as long as those that a socket gives. */
const chunkSize = 64 * 1024;

/** The body of an answer as it arrives. */
function decoded(answer: IncomingMessage): AsyncIterable<Uint8Array> {
  if (answer.headers['content-encoding'] !== 'gzip') return answer;
  const { constants, createGunzip } = process.getBuiltinModule('node:zlib');
  const { pipeline } = process.getBuiltinModule('node:stream');
  // The body rejects with what breaks the connection.
  return pipeline(answer, createGunzip({ flush: constants.Z_SYNC_FLUSH, chunkSize }), () => undefined);
}
