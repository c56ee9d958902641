import { createHash, randomInt } from 'node:crypto';
import { createSimulator, type Simulator } from './server.ts';
import { readHealth, readPlace, removePlace, writePlace } from './simulator-place.ts';

const firstPort = 10_000;
const ports = 20_000;
const tries = 50;

/**
 * Serves a data directory until there is no call for `idleMs`. The port is the lock: every process of a directory
 * tries the same ports in the same order, so only one can listen, and no stale lock file can remain. Returns at once
 * if another process already serves the directory.
 */
export async function serveDirectory(directory: string, idleMs: number): Promise<void> {
  // A random seed, so that ids do not repeat those of an earlier process.
  const simulator = createSimulator({ seed: randomInt(2 ** 47), directory });
  if (!(await listenFor(simulator, directory))) return;
  const port = Number(new URL(simulator.url).port);
  await writePlace(directory, { pid: process.pid, port, state_id: simulator.stateId });
  console.log(`${new Date().toISOString()} simulated cloud of ${directory}: pid ${process.pid}, ${simulator.url}`);

  const end = async (why: string) => {
    clearInterval(watch);
    console.log(`${new Date().toISOString()} pid ${process.pid} ends: ${why}`);
    await removePlace(directory, simulator.stateId);
    await simulator.close();
    process.exit(0);
  };
  const checkIdle = async () => {
    if (simulator.idleMs() >= idleMs) await end(`no call for ${idleMs} ms`);
    else if (!(await keepPlace(directory, simulator.stateId, port)))
      await end('its directory is gone, or another process serves it');
  };
  const watch = setInterval(() => void checkIdle(), Math.min(1000, idleMs / 2));
  process.once('SIGTERM', () => void end('terminated by a signal'));
  process.once('SIGINT', () => void end('terminated by a signal'));
}

/**
 * Whether callers can still find this process. Writes a lost file again; false if that fails or another process
 * serves the directory.
 */
async function keepPlace(directory: string, stateId: string, port: number): Promise<boolean> {
  const place = await readPlace(directory);
  if (place?.state_id === stateId) return true;
  const other = place === undefined ? undefined : await readHealth(place.port, 3000);
  if (other?.directory === directory && other.state_id !== stateId) return false;
  return writePlace(directory, { pid: process.pid, port, state_id: stateId }).then(
    () => true,
    () => false,
  );
}

/**
 * Listens on the first free port of the directory's sequence; false if a simulator of the same directory already uses
 * one.
 */
async function listenFor(simulator: Simulator, directory: string): Promise<boolean> {
  // The ports are below the range of outgoing connections.
  const start = createHash('sha256').update(directory).digest().readUInt32BE(0) % ports;
  for (let step = 0; step < tries; step++) {
    const port = firstPort + ((start + step) % ports);
    try {
      await simulator.listen(port);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      const other = await readHealth(port, 3000);
      if (other?.directory === directory) return false;
    }
  }
  throw new Error(
    `No free port for the simulated cloud of ${directory}: ${tries} from ${firstPort + start} are taken.`,
  );
}
