import type { Operation } from '../../core/operations/operation.ts';
import type { BrokerClient } from './client.ts';
import { MethodExecutionError } from './errors.ts';
import type { Address } from './http-transport.ts';

export interface ConnectOptions {
  /** `http://127.0.0.1:8000` */
  readonly url?: string;
  /** The Unix socket of a server on this machine. Takes precedence over `url`. */
  readonly socket_path?: string;
  /** The data directory of a server on this machine; its `server.json` contains the address. */
  readonly data_directory?: string;
  /** Time-out of a call in milliseconds. Default 60 000. */
  readonly timeout_ms?: number;
}

/** Creates a client of a running server. Sends nothing: the first call detects whether the server is reachable. */
export async function connect(options: ConnectOptions): Promise<BrokerClient> {
  const address = await addressOf(options);
  // Imported lazily: programs that import muster only for its types, or to write a plugin, load none of this.
  const [{ remoteExecutor }, { clientOver }, { httpTransport }, { openMessages }] = await Promise.all([
    import('./remote-executor.ts'),
    import('./client.ts'),
    import('./http-transport.ts'),
    import('./open-messages.ts'),
  ]);
  const transport = httpTransport(address, options.timeout_ms ?? 60_000);
  return clientOver(remoteExecutor(transport), async () => transport.close(), {
    open: (path, headers, signal) => openMessages(transport, path, headers, signal),
    // The server answers NOT_FOUND with its own operations.
    further: (name) => ({ name }) as Operation<any, any>,
  });
}

async function addressOf({ url, socket_path, data_directory }: ConnectOptions): Promise<Address> {
  if (socket_path !== undefined) return { socket_path };
  if (url !== undefined) return { url };
  if (data_directory === undefined)
    throw new MethodExecutionError('INVALID_REQUEST', 'connect needs a url, a socket_path or a data_directory.');
  const { readServerPlace } = await import('../data-directory/server-place.ts');
  const place = readServerPlace(data_directory);
  if (!place) throw new MethodExecutionError('UNAVAILABLE', `No server runs on the data directory ${data_directory}.`);
  return place.socket_path === null
    ? { url: `http://${place.host}:${place.port}` }
    : { socket_path: place.socket_path };
}
