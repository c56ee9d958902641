import { dataDirectoryOf } from '../../client/data-directory-of.ts';
import type { LocalClient } from '../../client/local-client.ts';
import { openClient, type Purpose, type ClientFlags } from '../../client/open-client.ts';
import { runningServer } from '../../client/running-server.ts';
import { reportServer } from '../../client/report-server.ts';
import type { OperationClient } from '../../client/server-client.ts';
import type { Terminal } from '../../process/terminal.ts';
import { asSdkError, MethodExecutionError } from '../../sdk/errors.ts';

/** A client for one call. */
export interface Lease {
  readonly client: OperationClient;
  /**
   * Has a server carry out what was stored, where none does. UNAVAILABLE, with what is stored, when none can be
   * started.
   */
  ensureServer(answer: unknown): Promise<void>;
  /** Lets no further call have this client. */
  retire(): void;
  release(): void;
}

export interface ClientPool {
  lease(purpose: Purpose): Promise<Lease>;
  close(): Promise<void>;
}

interface Held {
  readonly client: OperationClient;
  /** When it was opened. */
  readonly since: number;
  users: number;
  retired: boolean;
}

/** So long the files of configuration and templates are believed in this process; a server follows them by itself. */
const filesMs = 30_000;

/** The client that calls share as long as it is the right one. */
export function clientPool(flags: Omit<ClientFlags, 'server'>, terminal: Terminal): ClientPool {
  const reach: ClientFlags = { ...flags, server: true };
  let held: Held | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  let starting: Promise<unknown> | undefined;

  async function take(purpose: Purpose): Promise<Held> {
    // Read each time: nothing is opened for it.
    if (purpose === 'configuration') return { ...(await open(purpose)), retired: true };
    // A loop in this process is there for the one call: it would keep a server from starting.
    if (purpose === 'loop' && !(held && !isLocal(held.client))) return { ...(await open(purpose)), retired: true };
    if (held && !(await isRightFor(held, purpose))) retire(held);
    if (held) return held;
    const opened = await open(purpose);
    if (!opened.retired) held = opened;
    return opened;
  }

  async function open(purpose: Purpose): Promise<Held> {
    const { client } = await openClient(reach, purpose, terminal);
    return { client, since: performance.now(), users: 0, retired: isLocal(client) && client.ephemeral };
  }

  /** A server is, until it does not answer. The store in this process gives way to one. */
  async function isRightFor({ client, since }: Held, purpose: Purpose): Promise<boolean> {
    if (!isLocal(client)) return true;
    if (await runningServer(dataDirectoryOf(flags.config))) return false;
    return client.shared ? performance.now() - since < filesMs : purpose !== 'work';
  }

  function retire(client: Held): void {
    client.retired = true;
    if (held === client) held = undefined;
    if (client.users === 0) shut(client);
  }

  function shut({ client }: Held): void {
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
      const { request_id = 'What was asked' } = answer as { readonly request_id?: string };
      const { code, message, details } = asSdkError(error);
      throw new MethodExecutionError(
        code,
        `${request_id} is stored, but nothing carries it out: ${message}`,
        details,
        { cause: error },
      );
    }
  }

  return {
    async lease(purpose) {
      const taken = turn.then(() => take(purpose));
      turn = taken.catch(() => undefined);
      const mine = await taken;
      mine.users += 1;
      return {
        client: mine.client,
        ensureServer: (answer) => ensureServer(mine.client, answer),
        retire: () => retire(mine),
        release() {
          mine.users -= 1;
          if (mine.retired && mine.users === 0) shut(mine);
        },
      };
    },
    async close() {
      await turn;
      if (held) retire(held);
    },
  };
}

const isLocal = (client: OperationClient): client is LocalClient => 'loaded' in client;
