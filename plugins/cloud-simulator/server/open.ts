import { spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdir, realpath } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { readHealth, readPlace, type SimulatorPlace } from './simulator-place.ts';

export interface OpenOptions {
  readonly log?: { info(details: object, message: string): void };
  /** After how long without a call the process ends. Default 10 minutes. */
  readonly idleMs?: number;
}

const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0 } = constants;
const defaultIdleMs = 600_000;
const startTimeoutMs = 15_000;
const respawnMs = 3000;
const pollMs = 10;
/**
 * Enough for a few answer pages of three megabytes. A larger young generation would add a third to the memory of 50
 * 000 machines.
 */
const youngGenerationFlag = '--max-semi-space-size=16';

/**
 * Finds or starts the simulator of a data directory. It is a separate process that all brokers of the directory share
 * and that outlives the process that started it, so `close` does not stop it. Its state is in memory: after a crash
 * the next caller gets an empty cloud.
 */
export async function openSimulator(
  dataDirectory: string,
  options: OpenOptions = {},
): Promise<{ readonly url: string; close(): Promise<void> }> {
  await mkdir(dataDirectory, { recursive: true });
  const directory = await realpath(dataDirectory);
  const place = (await findRunning(directory)) ?? (await start(directory, options));
  return { url: `http://127.0.0.1:${place.port}`, close: async () => {} };
}

/** The place in the file, if the process that wrote the file answers there. */
async function findRunning(directory: string): Promise<SimulatorPlace | undefined> {
  const place = await readPlace(directory);
  if (place === undefined) return undefined;
  const health = await readHealth(place.port, 3000);
  return health?.pid === place.pid && health.state_id === place.state_id ? place : undefined;
}

/**
 * Starts processes until one answers, whether this or another broker started it. The port determines which process
 * serves.
 */
async function start(directory: string, options: OpenOptions): Promise<SimulatorPlace> {
  const began = performance.now();
  let spawned = Number.NEGATIVE_INFINITY;
  while (performance.now() - began < startTimeoutMs) {
    if (performance.now() - spawned > respawnMs) {
      spawnProcess(directory, options.idleMs ?? defaultIdleMs);
      spawned = performance.now();
    }
    await wait(pollMs);
    const place = await findRunning(directory);
    if (place === undefined) continue;
    options.log?.info({ pid: place.pid, port: place.port }, 'The simulated cloud answers.');
    return place;
  }
  throw new Error(
    `The simulated cloud of ${directory} did not start within ${startTimeoutMs / 1000} s. See ${join(directory, 'simulator.log')}.`,
  );
}

function spawnProcess(directory: string, idleMs: number): void {
  const log = openSync(join(directory, 'simulator.log'), O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
  try {
    const file = join(import.meta.dirname, `process${extname(import.meta.filename)}`);
    const child = spawn(process.execPath, [youngGenerationFlag, file, directory, String(idleMs)], {
      detached: true,
      stdio: ['ignore', log, log],
      cwd: directory,
    });
    // The log has the error of a failed start, and the caller's time-out ends the wait.
    child.on('error', () => {});
    child.unref();
  } finally {
    closeSync(log);
  }
}
