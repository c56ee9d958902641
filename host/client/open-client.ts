import { setTimeout as sleep } from 'node:timers/promises';
import { BrokerError, isBrokerError } from '../../core/contract/errors.ts';
import type { Terminal } from '../process/terminal.ts';
import { dataDirectoryOf } from './data-directory-of.ts';
import type { LocalClient } from './local-client.ts';
import { addressOf, runningServer } from './running-server.ts';
import { tellServer } from './tell-server.ts';
import { serverClient, type OperationClient } from './server-client.ts';

/** How a process that is no server reaches a broker. */
export interface ClientFlags {
  readonly url?: string;
  readonly config?: string;
  /** False: none is started. One that runs is asked all the same. */
  readonly server: boolean;
  /** Seconds that an answer may take. */
  readonly callTimeout?: number;
  /** Ask no server, for the configuration alone. */
  readonly local?: boolean;
}

/** What the call is for. */
export type Purpose = 'configuration' | 'look' | 'store' | 'work' | 'loop';

interface Declared {
  readonly name: string;
  readonly kind: 'command' | 'query';
  readonly leaves_work?: boolean;
  readonly needs_loop?: boolean;
}

export function purposeOf({ name, kind, leaves_work, needs_loop }: Declared): Purpose {
  if (needs_loop) return 'loop';
  if (name === 'get_configuration') return 'configuration';
  if (leaves_work) return 'work';
  return kind === 'query' ? 'look' : 'store';
}

/** Where the operations are carried out, and what stays to be done afterwards. */
export interface Opened {
  readonly client: OperationClient;
  /** The store is this process's own, and nobody carries out what is put there. */
  readonly left?: LocalClient;
  /** Requests are carried out in this process, as long as it runs. */
  readonly works?: boolean;
  /** The data directory, where no server that runs on it was found. */
  readonly alone?: string;
}

const defaultSeconds = 60;
/** How long a server that has the data directory may take until it listens. */
const appearMs = 15_000;

/** A server that is named, one that runs on the data directory, or else the same store in this process. */
export async function openClient(flags: ClientFlags, purpose: Purpose, terminal: Terminal): Promise<Opened> {
  const ms = (flags.callTimeout ?? defaultSeconds) * 1000;
  if (flags.url !== undefined) return { client: serverClient({ url: checked(flags.url) }, ms) };
  const dataDirectory = dataDirectoryOf(flags.config);
  const place = flags.local ? undefined : await runningServer(dataDirectory);
  if (place) return { client: serverClient(addressOf(place), ms) };
  const { configurationClient, localClient } = await import('./local-client.ts');
  if (purpose === 'configuration') return { client: await configurationClient(flags.config, terminal) };
  if (purpose === 'loop') return workHere(flags, dataDirectory, ms, terminal);
  if (purpose !== 'work') return { client: await localClient(flags.config, purpose, terminal), alone: dataDirectory };
  if (!flags.server) return workHere(flags, dataDirectory, ms, terminal);
  const local = await localClient(flags.config, 'store', terminal);
  if (local.shared) return { client: local, left: local };
  // What is stored here would go with this process: the server has to be there first.
  await local.close();
  const { seeToWork } = await import('./ensure-server.ts');
  const started = await seeToWork(local.loaded.configuration, flags.config);
  if (started) {
    tellServer(started, terminal);
    return { client: serverClient(addressOf(started), ms) };
  }
  throw new BrokerError('CONFLICT', `A program has the data directory ${dataDirectory} for itself, and its storage is not shared.`);
}

/** With the loop in this process, unless somebody takes the data directory meanwhile. */
async function workHere(flags: ClientFlags, dataDirectory: string, ms: number, terminal: Terminal): Promise<Opened> {
  const { localClient } = await import('./local-client.ts');
  const end = performance.now() + appearMs;
  for (;;) {
    try {
      return { client: await localClient(flags.config, 'work', terminal), works: true };
    } catch (error) {
      if (!isBrokerError(error) || error.code !== 'CONFLICT') throw error;
      const place = await runningServer(dataDirectory);
      if (place) return { client: serverClient(addressOf(place), ms) };
      if (performance.now() > end) throw error;
      await sleep(100);
    }
  }
}

function checked(url: string): string {
  if (URL.canParse(url) && /^https?:/.test(url)) return url;
  throw new BrokerError('INVALID_REQUEST', `--url: '${url}' is no URL; it looks like http://127.0.0.1:8000.`);
}
