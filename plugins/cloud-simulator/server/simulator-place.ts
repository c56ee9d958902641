import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';

/** Where the simulator of a data directory answers: the content of `<data>/simulator.json`. */
export interface SimulatorPlace {
  readonly pid: number;
  readonly port: number;
  readonly state_id: string;
}

/**
 * What `GET /_sim/health` answers: a process and the state that it holds. `directory` is absent when it serves no data
 * directory.
 */
export interface SimulatorIdentity {
  readonly pid: number;
  readonly state_id: string;
  readonly directory?: string;
}

const fileName = 'simulator.json';

/** The place in the file; undefined if there is no readable file, in which case the caller starts a simulator. */
export async function readPlace(dataDirectory: string): Promise<SimulatorPlace | undefined> {
  try {
    const place = JSON.parse(await readFile(join(dataDirectory, fileName), 'utf8')) as Partial<SimulatorPlace> | null;
    if (typeof place?.pid !== 'number' || typeof place.port !== 'number' || typeof place.state_id !== 'string')
      return undefined;
    return { pid: place.pid, port: place.port, state_id: place.state_id };
  } catch {
    return undefined;
  }
}

/** Writes the file whole or not at all, readable by its owner alone. */
export async function writePlace(dataDirectory: string, place: SimulatorPlace): Promise<void> {
  const draft = join(dataDirectory, `${fileName}.${randomUUID()}`);
  await writeFile(draft, `${JSON.stringify(place)}\n`, { mode: 0o600 });
  await rename(draft, join(dataDirectory, fileName));
}

/** Removes the file if it still names this state. */
export async function removePlace(dataDirectory: string, stateId: string): Promise<void> {
  const place = await readPlace(dataDirectory);
  if (place?.state_id === stateId) await rm(join(dataDirectory, fileName), { force: true });
}

/** The simulator that answers on a loopback port; undefined if none answers within the time. */
export function readHealth(port: number, withinMs: number): Promise<SimulatorIdentity | undefined> {
  return new Promise((resolve) => {
    const request = get(
      { host: '127.0.0.1', port, path: '/_sim/health', agent: false, timeout: withinMs },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', () => resolve(undefined));
        response.on('end', () => resolve(parseHealth(Buffer.concat(chunks).toString())));
      },
    );
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(undefined));
    request.on('close', () => resolve(undefined));
  });
}

function parseHealth(text: string): SimulatorIdentity | undefined {
  try {
    const health = JSON.parse(text) as Partial<SimulatorIdentity> | null;
    return typeof health?.pid === 'number' && typeof health.state_id === 'string'
      ? (health as SimulatorIdentity)
      : undefined;
  } catch {
    return undefined;
  }
}
