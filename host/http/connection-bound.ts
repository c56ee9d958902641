import { readFileSync } from 'node:fs';
import type { Server } from 'node:net';
import type { Log } from '../../core/contract/log.ts';

/** Open files reserved for the broker: the store, connections to providers, template files, the Unix socket. */
const reservedFiles = 512;
/** Minimum interval between two log lines about closed connections, in milliseconds. */
const quietMs = 60_000;

/**
 * Returns the maximum number of client connections: the configured number, but no more than the limit of open files
 * leaves after the reserve of the broker. Without the bound, callers could use up the open files that the broker needs
 * for its store and the cloud.
 */
export function connectionBound(configured: number): number {
  const files = openFilesLimit();
  return Math.min(configured, files - Math.min(reservedFiles, Math.floor(files / 2)));
}

/**
 * The hard limit of open files of this process, to which Node raises the soft limit at start. Infinity when the system
 * does not report it.
 */
function openFilesLimit(): number {
  try {
    const hard = /^Max open files\s+\d+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return hard === undefined ? Infinity : Number(hard);
  } catch {
    return Infinity;
  }
}

/** Makes the server close new connections at once while `most` connections are open. */
export function boundConnections(server: Server, most: number, log: Log): void {
  server.maxConnections = most;
  server.on('drop', dropLog(most, log));
}

/** Returns a handler that logs closed connections, at most one line per minute. */
export function dropLog(most: number, log: Log): () => void {
  let quietUntil = -Infinity;
  let dropped = 0;
  return () => {
    dropped += 1;
    const now = performance.now();
    if (now < quietUntil) return;
    quietUntil = now + quietMs;
    log.warn(
      { connections: most, closed: dropped },
      'The number of connections reached server.max_connections or the limit of open files; the server closes new connections.',
    );
  };
}
