import { execFile, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isTaken, makeDataDirectory, lockStart } from '../data-directory/data-directory.ts';
import { readServerPlace, type ServerPlace } from '../data-directory/server-place.ts';
import type { StartingServer } from '../data-directory/starting-server.ts';
import { runningServer } from './running-server.ts';
import { waitingServer } from './server-process.ts';
import { endOfLog, lastLines, openServerLog, warningsSince } from './server-log.ts';

/** Milliseconds that a server may take until it answers. */
const startMs = 15_000;
const pollMs = 40;

/** Arguments of Node that run `muster server start`. */
const main = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../main.ts' : '../main.js', import.meta.url));
const startCommand = [...process.execArgv, main, 'server', 'start'];

/** Working directory and environment of a server process. Default: those of this process. */
export interface ProcessContext {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** The result of starting a server in the background. */
export type Started =
  /**
   * A server answers. `own`: it is the process that this call started. `warned`: the warnings that it logged before it
   * answered.
   */
  | { readonly place: ServerPlace; readonly own: boolean; readonly warned?: readonly string[] }
  /**
   * The server ended with this code, or did not answer in time (`code` is undefined). `output`: its last output.
   * `waiting`: the server that has the data directory and waits with its start: the started one, or with another pid
   * one that was there first.
   */
  | {
      readonly place?: undefined;
      readonly code: number | undefined;
      readonly pid: number | undefined;
      readonly output: readonly string[];
      readonly waiting?: StartingServer;
    };

/**
 * Starts `muster server start --foreground` with these options as a process of its own session that logs to
 * `<data>/server.log`. Waits until a server answers on the data directory: the started one, or one that another
 * process started first. Of several concurrent callers one starts the server and the others wait for it.
 */
export async function startInBackground(
  dataDirectory: string,
  options: readonly string[],
  context: ProcessContext = {},
): Promise<Started> {
  makeDataDirectory(dataDirectory);
  const end = performance.now() + startMs;
  for (;;) {
    using startLock = lockStart(dataDirectory);
    // Checked after the lock was taken: the previous holder of the lock has started a server.
    const place = await runningServer(dataDirectory);
    if (place) return { place, own: false };
    if (startLock) return await startWithLock(dataDirectory, options, context);
    const waiting = waitingServer(dataDirectory);
    if (waiting || performance.now() > end)
      return { code: undefined, pid: undefined, output: [], ...(waiting ? { waiting } : {}) };
    await sleep(pollMs);
  }
}

/** As `startInBackground`, for a caller that holds the start lock. */
export async function startWithLock(
  dataDirectory: string,
  options: readonly string[],
  context: ProcessContext = {},
): Promise<Started> {
  const log = openServerLog(dataDirectory);
  const from = endOfLog(dataDirectory);
  // No server answered: `server.json` is from a killed server. It must not count when the new server takes over the
  // socket.
  const stale = readServerPlace(dataDirectory)?.started_at;
  const args = [...startCommand, '--foreground', '--in-background', ...options];
  const child = spawn(process.execPath, args, { ...context, detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  child.unref();
  let code: number | undefined;
  child.once('exit', (status) => (code = status ?? 1)).once('error', () => (code = 1));
  const end = performance.now() + startMs;
  for (;;) {
    const place = await runningServer(dataDirectory);
    if (place && place.started_at !== stale)
      return place.pid === child.pid
        ? { place, own: true, warned: warningsSince(dataDirectory, from) }
        : { place, own: false };
    const output = () => lastLines(dataDirectory, 20, from);
    // A server that finds another one on the directory ends and leaves the directory to it.
    const gaveWay = code !== undefined && /Another server/.test(output().join('\n')) && isTaken(dataDirectory);
    const late = performance.now() > end;
    const waiting = gaveWay || late ? waitingServer(dataDirectory) : undefined;
    if ((code !== undefined && !gaveWay) || late || waiting)
      return { code, pid: child.pid, output: output(), ...(waiting ? { waiting } : {}) };
    await sleep(pollMs);
  }
}

/**
 * Checks whether a server could start with these options. Returns its exit code and its error output. Starts no
 * server.
 */
export function tryStart(
  options: readonly string[],
  context: ProcessContext = {},
): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve) => {
    const args = [...startCommand, '--check', ...options];
    execFile(process.execPath, args, context, (error, _, output) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, output }),
    );
  });
}
