import { join } from 'node:path';
import type { Log } from '../../core/contract/log.ts';
import { isLoopback } from './caller-check.ts';
import { freeSocketPath } from './listen-socket.ts';
import type { ServeOptions } from './serve-options.ts';

/** Where the Unix socket is. Null: a server for the API only leaves the usual place to the one that it serves beside. */
export async function socketPathOf({ loaded, log, api_only }: ServeOptions): Promise<string | null> {
  const { data_directory, server } = loaded.configuration;
  const path = server.socket_path ?? (api_only ? null : join(data_directory, 'muster.sock'));
  return path === null ? null : freeSocketPath(path, log);
}

/** A server that listens beyond this machine trusts everyone there. */
export function warnOfOthers(address: string, host: string, log: Log): void {
  if (isLoopback(address)) return;
  log.warn({ host }, 'Everyone who reaches this address can request and return machines: put a gateway in front that authenticates.');
}
