import { dataDirectoryOf } from '../../client/data-directory-of.ts';
import type { LocalClient } from '../../client/local-client.ts';
import { openClient, type Purpose, type ClientFlags } from '../../client/open-client.ts';
import { runningServer } from '../../client/running-server.ts';
import { reportServer } from '../../client/report-server.ts';
import type { OperationClient } from '../../client/server-client.ts';
import type { Terminal } from '../../process/terminal.ts';
import { asSdkError, MethodExecutionError } from '../../sdk/errors.ts';

/** The use of a client by one call. */
export interface Lease {
  readonly client: OperationClient;
  /**
   * Ensures that a server processes the stored request. Throws UNAVAILABLE, with the stored id, when none can be
   * started.
   */
  ensureServer(answer: unknown): Promise<void>;
  /** Excludes the client from further calls. */
  retire(): void;
  release(): void;
}

export interface ClientPool {
  lease(purpose: Purpose): Promise<Lease>;
  close(): Promise<void>;
}

interface PooledClient {
  readonly client: OperationClient;
  /** When the client was opened. */
  readonly since: number;
  users: number;
  retired: boolean;
}

/** Milliseconds for which this process uses loaded configuration and template files; a server watches them itself. */
const filesMs = 30_000;

/** Creates a pool with one client that calls share as long as it is valid. */
export function clientPool(flags: Omit<ClientFlags, 'server'>, terminal: Terminal): ClientPool {
  const clientFlags: ClientFlags = { ...flags, server: true };
  let held: PooledClient | undefined;
  let queue: Promise<unknown> = Promise.resolve();
  let starting: Promise<unknown> | undefined;

  async function take(purpose: Purpose): Promise<PooledClient> {
    // Loaded each time: nothing stays open.
    if (purpose === 'configuration') return { ...(await open(purpose)), retired: true };
    // A loop in this process serves only one call: it would prevent a server from starting.
    if (purpose === 'loop' && !(held && !isLocal(held.client))) return { ...(await open(purpose)), retired: true };
    if (held && !(await isValidFor(held, purpose))) retire(held);
    if (held) return held;
    const opened = await open(purpose);
    if (!opened.retired) held = opened;
    return opened;
  }

  async function open(purpose: Purpose): Promise<PooledClient> {
    const { client } = await openClient(clientFlags, purpose, terminal);
    return { client, since: performance.now(), users: 0, retired: isLocal(client) && client.ephemeral };
  }

  /** A client of a server is valid until it fails. The store in this process is valid until a server runs. */
  async function isValidFor({ client, since }: PooledClient, purpose: Purpose): Promise<boolean> {
    if (!isLocal(client)) return true;
    if (await runningServer(dataDirectoryOf(flags.config))) return false;
    return client.shared ? performance.now() - since < filesMs : purpose !== 'work';
  }

  function retire(client: PooledClient): void {
    client.retired = true;
    if (held === client) held = undefined;
    if (client.users === 0) shut(client);
  }

  function shut({ client }: PooledClient): void {
    client.close().catch((error: unknown) => terminal.err(`muster: ${asSdkError(error).message}\n`));
  }

  async function ensureServer(client: OperationClient, answer: unknown): Promise<void> {
    if (!isLocal(client)) return;
    const { ensureServer: start } = await import('../../client/ensure-server.ts');
    try {
      starting ??= start(client.loaded.configuration, flags.config)
        .then((place) => place && reportServer(place, terminal))
        .finally(() => (starting = undefined));
      await starting;
    } catch (error) {
      const { request_id = 'The request' } = answer as { readonly request_id?: string };
      const { code, message, details } = asSdkError(error);
      throw new MethodExecutionError(
        code,
        `${request_id} is stored, but no server processes it: ${message}`,
        details,
        { cause: error },
      );
    }
  }

  return {
    async lease(purpose) {
      const taken = queue.then(() => take(purpose));
      queue = taken.catch(() => undefined);
      const pooled = await taken;
      pooled.users += 1;
      return {
        client: pooled.client,
        ensureServer: (answer) => ensureServer(pooled.client, answer),
        retire: () => retire(pooled),
        release() {
          pooled.users -= 1;
          if (pooled.retired && pooled.users === 0) shut(pooled);
        },
      };
    },
    async close() {
      await queue;
      if (held) retire(held);
    },
  };
}

const isLocal = (client: OperationClient): client is LocalClient => 'loaded' in client;
