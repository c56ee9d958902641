import { existsSync, readFileSync } from 'node:fs';
import type { Address } from '../sdk/http-transport.ts';
import { urlOf } from '../http/url-of.ts';
import { readProcessStat } from './process-stat.ts';
import { readServerPlace, type ServerPlace } from '../data-directory/server-place.ts';

/** Milliseconds that a server may take to accept a connection. */
const connectMs = 2_000;

export const addressOf = ({ socket_path, host, port }: ServerPlace): Address =>
  socket_path === null ? { url: urlOf({ host, port }) } : { socket_path };

/**
 * Returns the server of a data directory; undefined when none listens. `server.json` of a killed server does not
 * count: its socket has no listener, and its process is gone or another one.
 */
export async function runningServer(dataDirectory: string): Promise<ServerPlace | undefined> {
  const recorded = readServerPlace(dataDirectory);
  if (!recorded) return undefined;
  // The socket may have been deleted: its server still holds the directory and listens on its port.
  const place =
    recorded.socket_path !== null && !existsSync(recorded.socket_path) ? { ...recorded, socket_path: null } : recorded;
  // Another program may use the port by now; the socket lies in the directory itself.
  if (place.socket_path === null && !isServerProcess(place)) return undefined;
  return (await listens(place)) ? place : undefined;
}

/** Whether the process that wrote `server.json` is alive. A process that started later only has the same pid. */
export function isServerProcess({ pid, started_at }: Pick<ServerPlace, 'pid' | 'started_at'>): boolean {
  if (!isAlive(pid)) return false;
  const stat = readProcessStat(pid);
  const booted = bootedAt();
  if (!stat || booted === undefined) return true;
  return stat.state !== 'ended' && booted + stat.startedTicks * 10 <= Date.parse(started_at) + clockGrain;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process is alive and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Tolerance in milliseconds: the kernel counts in hundredths of a second, and the boot time in seconds. */
const clockGrain = 1_100;

/** When the system was booted, in milliseconds since the epoch; undefined when it has no `/proc`. */
function bootedAt(): number | undefined {
  try {
    const seconds = /^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1];
    return seconds === undefined ? undefined : Number(seconds) * 1000;
  } catch {
    return undefined;
  }
}

function listens(place: ServerPlace): Promise<boolean> {
  // Not imported: as ES modules these builtins would evaluate much unused code.
  const { connect } = process.getBuiltinModule('node:net');
  const { socket_path, host, port } = place;
  return new Promise((resolve) => {
    const socket = socket_path === null ? connect(port, host) : connect(socket_path);
    const done = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    // A connection without answer means a server in trouble, which the call itself detects.
    socket.setTimeout(connectMs, () => done(true));
    socket.once('connect', () => done(true));
    socket.once('error', (error: NodeJS.ErrnoException) => done(error.code === 'EAGAIN'));
  });
}
