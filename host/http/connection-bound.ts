import { readFileSync } from 'node:fs';
import type { Server } from 'node:net';
import type { Log } from '../../core/contract/log.ts';

/** Files and connections of our own: the store, calls to providers, templates that are read, the Unix socket. */
const ours = 512;
/** A line about it comes no sooner again. */
const quietMs = 60_000;

/**
 * How many connections callers may have: what is configured, and no more than the open files of the process leave beside our own. Without that, whoever opens
 * enough of them would keep the broker from its store and from the cloud.
 */
export function connectionBound(wanted: number): number {
  const files = openFilesLimit();
  return Math.min(wanted, files - Math.min(ours, Math.floor(files / 2)));
}

/** As many as the system lets this process have: Node raises its limit to that at the start. Infinity where it is not told. */
function openFilesLimit(): number {
  try {
    const hard = /^Max open files\s+\d+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return hard === undefined ? Infinity : Number(hard);
  } catch {
    return Infinity;
  }
}

/** Closes new connections at once while there are so many. */
export function boundConnections(server: Server, most: number, log: Log): void {
  server.maxConnections = most;
  server.on('drop', dropLog(most, log));
}

/** Tells that connections are closed: a line a minute. */
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
      'There are as many connections as server.max_connections or the open files allow; new ones are closed.',
    );
  };
}
