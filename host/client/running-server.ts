import { existsSync, readFileSync } from 'node:fs';
import type { Address } from '../sdk/http-transport.ts';
import { urlOf } from '../http/url-of.ts';
import { readServerPlace, type ServerPlace } from '../data-directory/server-place.ts';

/** How long a server may take to take a connection. */
const connectMs = 2_000;

export const addressOf = ({ socket_path, host, port }: ServerPlace): Address =>
  socket_path === null ? { url: urlOf({ host, port }) } : { socket_path };

/**
 * The server of a data directory, when one listens. What a server left behind that was killed is not believed: nobody listens on its socket, and its
 * process is gone or another one.
 */
export async function runningServer(dataDirectory: string): Promise<ServerPlace | undefined> {
  const said = readServerPlace(dataDirectory);
  if (!said) return undefined;
  // Somebody may have tidied the socket away: its server still has the directory, and listens on its port.
  const place = said.socket_path !== null && !existsSync(said.socket_path) ? { ...said, socket_path: null } : said;
  // A port may be anybody's by now; the socket lies in the directory itself.
  if (place.socket_path === null && !isItsProcess(place)) return undefined;
  return (await listens(place)) ? place : undefined;
}

/** Whether the process that wrote this lives: one that began later has only got its number. */
export function isItsProcess({ pid, started_at }: Pick<ServerPlace, 'pid' | 'started_at'>): boolean {
  if (!isAlive(pid)) return false;
  const known = statOf(pid);
  if (!known) return true;
  // One that has ended is still listed until its parent takes notice.
  return !['Z', 'X'].includes(known.state) && known.began <= Date.parse(started_at) + clockGrain;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, under another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The kernel counts in hundredths, and a boot time in whole seconds. */
const clockGrain = 1_100;

/** State and begin of a process, in milliseconds since the epoch; undefined where the system does not say it in /proc. */
function statOf(pid: number): { readonly state: string; readonly began: number } | undefined {
  try {
    // The name of the process may hold anything, so the fields are counted from behind it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    const booted = /^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1];
    return booted === undefined ? undefined : { state: fields[0] ?? '', began: Number(booted) * 1000 + Number(fields[19]) * 10 };
  } catch {
    return undefined;
  }
}

function listens(place: ServerPlace): Promise<boolean> {
  // Not imported: as ES modules they would load much that nobody here uses.
  const { connect } = process.getBuiltinModule('node:net');
  const { socket_path, host, port } = place;
  return new Promise((resolve) => {
    const socket = socket_path === null ? connect(port, host) : connect(socket_path);
    const done = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    // One that is there and says nothing is a server in trouble, which the call itself finds out.
    socket.setTimeout(connectMs, () => done(true));
    socket.once('connect', () => done(true));
    socket.once('error', (error: NodeJS.ErrnoException) => done(error.code === 'EAGAIN'));
  });
}
