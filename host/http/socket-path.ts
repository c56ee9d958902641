import { join } from 'node:path';
import type { Log } from '../../core/contract/log.ts';
import { isLoopback } from './check-host-and-origin.ts';
import { freeSocketPath } from './listen-socket.ts';
import type { ServeOptions } from './serve-options.ts';

/**
 * Returns the path of the Unix socket, freed. Null: no socket. An API-only server leaves the default path to the
 * server whose storage it uses.
 */
export async function socketPathOf({ loaded, log, api_only }: ServeOptions): Promise<string | null> {
  const { data_directory, server } = loaded.configuration;
  const path = server.socket_path ?? (api_only ? null : join(data_directory, 'muster.sock'));
  return path === null ? null : freeSocketPath(path, log);
}

/** Warns that a server on a non-loopback address accepts calls of everyone in the network. */
export function warnOfOpenAddress(address: string, host: string, log: Log): void {
  if (isLoopback(address)) return;
  log.warn(
    { host },
    'Everyone who reaches this address can request and return machines: put an authenticating gateway in front of it.',
  );
}
