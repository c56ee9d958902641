import { setTimeout as sleep } from 'node:timers/promises';
import { BrokerError, isBrokerError } from '../../core/contract/errors.ts';
import type { Terminal } from '../process/terminal.ts';
import { dataDirectoryOf } from './data-directory-of.ts';
import type { LocalClient } from './local-client.ts';
import { addressOf, runningServer } from './running-server.ts';
import { reportServer } from './report-server.ts';
import { serverClient, type OperationClient } from './server-client.ts';

/** How a process that is not a server connects to a broker. */
export interface ClientFlags {
  readonly url?: string;
  readonly config?: string;
  /** False: no server is started. A running server is used all the same. */
  readonly server: boolean;
  /** Time-out of a call in seconds. */
  readonly callTimeout?: number;
  /** Calls no server; for `get_configuration` only. */
  readonly local?: boolean;
}

/** What a call needs: `work`: a server that processes its result; `loop`: a running reconciler loop. */
export type Purpose = 'configuration' | 'read' | 'write' | 'work' | 'loop';

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
  return kind === 'query' ? 'read' : 'write';
}

/** The opened client, and what the caller must do afterwards. */
export interface Opened {
  readonly client: OperationClient;
  /** The client stores requests in this process and no server processes them yet. */
  readonly unserved?: LocalClient;
  /** This process runs the reconciler until it ends. */
  readonly reconciles?: boolean;
  /** The data directory when no server runs on it. */
  readonly without_server?: string;
}

const defaultSeconds = 60;
/** Milliseconds that a server which holds the data directory gets until it listens. */
const appearMs = 15_000;

/**
 * Opens a client: of the server at `--url`, of the server that runs on the data directory, or of the store in this
 * process.
 */
export async function openClient(flags: ClientFlags, purpose: Purpose, terminal: Terminal): Promise<Opened> {
  const ms = (flags.callTimeout ?? defaultSeconds) * 1000;
  if (flags.url !== undefined) return { client: serverClient({ url: validUrl(flags.url) }, ms) };
  const dataDirectory = dataDirectoryOf(flags.config);
  const place = flags.local ? undefined : await runningServer(dataDirectory);
  if (place) return { client: serverClient(addressOf(place), ms) };
  const { configurationClient, localClient } = await import('./local-client.ts');
  if (purpose === 'configuration') return { client: await configurationClient(flags.config, terminal) };
  if (purpose === 'loop') return openReconcilingClient(flags, dataDirectory, ms, terminal);
  if (purpose !== 'work')
    return { client: await localClient(flags.config, purpose, terminal), without_server: dataDirectory };
  if (!flags.server) return openReconcilingClient(flags, dataDirectory, ms, terminal);
  const local = await localClient(flags.config, 'write', terminal);
  if (local.shared) return { client: local, unserved: local };
  // A store that is not shared would be lost with this process: the server must run first.
  await local.close();
  const { ensureServer } = await import('./ensure-server.ts');
  const started = await ensureServer(local.loaded.configuration, flags.config);
  if (started) {
    reportServer(started, terminal);
    return { client: serverClient(addressOf(started), ms) };
  }
  throw new BrokerError(
    'CONFLICT',
    `Another program holds the data directory ${dataDirectory}, and its storage is not shared.`,
  );
}

/**
 * Opens a client that runs the reconciler in this process, or that of a server which takes the data directory in the
 * meantime.
 */
async function openReconcilingClient(
  flags: ClientFlags,
  dataDirectory: string,
  ms: number,
  terminal: Terminal,
): Promise<Opened> {
  const { localClient } = await import('./local-client.ts');
  const end = performance.now() + appearMs;
  for (;;) {
    try {
      return { client: await localClient(flags.config, 'work', terminal), reconciles: true };
    } catch (error) {
      if (!isBrokerError(error) || error.code !== 'CONFLICT') throw error;
      const place = await runningServer(dataDirectory);
      if (place) return { client: serverClient(addressOf(place), ms) };
      if (performance.now() > end) throw error;
      await sleep(100);
    }
  }
}

function validUrl(url: string): string {
  if (URL.canParse(url) && /^https?:/.test(url)) return url;
  throw new BrokerError('INVALID_REQUEST', `--url: '${url}' is not a URL; an example is http://127.0.0.1:8000.`);
}
