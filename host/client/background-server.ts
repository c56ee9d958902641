import { execFile, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isTaken, makeDataDirectory, lockStart } from '../data-directory/data-directory.ts';
import { readServerPlace, type ServerPlace } from '../data-directory/server-place.ts';
import { runningServer } from './running-server.ts';
import { endOfLog, lastLines, openServerLog, warningsSince } from './server-log.ts';

/** How long a server may take to answer. */
const startMs = 15_000;
const pollMs = 40;

/** What Node is called with to run `muster server start`. */
const main = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../main.ts' : '../main.js', import.meta.url));
const startCommand = [...process.execArgv, main, 'server', 'start'];

/** Where a server runs, and with which environment. Default: those of this process. */
export interface Surroundings {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** What came of starting a server in the background. */
export type Started =
  /** One answers; `own` says whether it is the one that was started here, `warned` what that warned of until it answered. */
  | { readonly place: ServerPlace; readonly own: boolean; readonly warned?: readonly string[] }
  /** It ended, with this code, or has not answered in time; and what it wrote last. */
  | { readonly place?: undefined; readonly code: number | undefined; readonly pid: number | undefined; readonly said: readonly string[] };

/**
 * Starts `muster server start --foreground` with these options as a process of its own session, writing into `<data>/server.log`, and waits until a
 * server answers on the data directory: this one, or another that was faster. Of many that want one at once, one starts it and the others wait for that.
 */
export async function startInBackground(dataDirectory: string, options: readonly string[], around: Surroundings = {}): Promise<Started> {
  makeDataDirectory(dataDirectory);
  const awaited = performance.now() + startMs;
  for (;;) {
    using turn = lockStart(dataDirectory);
    // Asked after the turn was taken: who had it before has started one.
    const place = await runningServer(dataDirectory);
    if (place) return { place, own: false };
    if (turn) return await startWithLock(dataDirectory, options, around);
    if (performance.now() > awaited) return { code: undefined, pid: undefined, said: [] };
    await sleep(pollMs);
  }
}

/** The same, for who has the turn to start one. */
export async function startWithLock(dataDirectory: string, options: readonly string[], around: Surroundings = {}): Promise<Started> {
  const log = openServerLog(dataDirectory);
  const from = endOfLog(dataDirectory);
  // Nobody answered there: what it says is of a server that was killed, and believed no more when the new one takes its socket.
  const stale = readServerPlace(dataDirectory)?.started_at;
  const args = [...startCommand, '--foreground', '--in-background', ...options];
  const child = spawn(process.execPath, args, { ...around, detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  child.unref();
  let code: number | undefined;
  child.once('exit', (status) => (code = status ?? 1)).once('error', () => (code = 1));
  const end = performance.now() + startMs;
  for (;;) {
    const place = await runningServer(dataDirectory);
    if (place && place.started_at !== stale)
      return place.pid === child.pid ? { place, own: true, warned: warningsSince(dataDirectory, from) } : { place, own: false };
    const said = () => lastLines(dataDirectory, 20, from);
    // One that finds another on the directory gives way to it.
    const gaveWay = code !== undefined && /Another server/.test(said().join('\n')) && isTaken(dataDirectory);
    if ((code !== undefined && !gaveWay) || performance.now() > end) return { code, pid: child.pid, said: said() };
    await sleep(pollMs);
  }
}

/** Whether a server could be started so: the code that it would end with, and what it would say. Nothing is started. */
export function tryStart(options: readonly string[], around: Surroundings = {}): Promise<{ readonly code: number; readonly said: string }> {
  return new Promise((resolve) => {
    const args = [...startCommand, '--check', ...options];
    execFile(process.execPath, args, around, (error, _, said) => resolve({ code: error ? Number(error.code ?? 1) : 0, said }));
  });
}
