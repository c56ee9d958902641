import { isLoopback } from '../http/check-host-and-origin.ts';
import { interruption } from '../process/interruption.ts';
import type { ClientFlags } from '../client/open-client.ts';
import type { Terminal } from '../process/terminal.ts';
import { brokerAccess } from './sessions/broker-access.ts';
import { clientPool } from './sessions/client-pool.ts';

/** The options of `muster mcp serve`. */
export interface McpFlags extends Omit<ClientFlags, 'server'> {
  readonly http?: boolean;
  readonly host?: string;
  readonly port?: number;
  readonly allowHost?: readonly string[];
  readonly allowOrigin?: readonly string[];
  readonly readOnly?: boolean;
}

/** Serves agents until the client disconnects or the process gets a signal. */
export async function serveMcp(flags: McpFlags, terminal: Terminal): Promise<void> {
  using stop = interruption();
  const access = brokerAccess(clientPool(flags, terminal));
  try {
    if (flags.http) await serveHttp(flags, access, terminal, stop.signal);
    else {
      const { serveStdio } = await import('./serve-stdio.ts');
      await serveStdio(access, flags.readOnly ?? false, terminal, stop.signal);
    }
  } finally {
    await access.close();
  }
}

type Access = ReturnType<typeof brokerAccess>;

async function serveHttp(flags: McpFlags, access: Access, terminal: Terminal, stop: AbortSignal): Promise<void> {
  const { readOnly = false, host = '127.0.0.1', port = 8001, allowHost = [], allowOrigin = [] } = flags;
  const { serveMcpHttp } = await import('./serve-http.ts');
  const server = await serveMcpHttp({
    access,
    read_only: readOnly,
    host,
    port,
    names: allowHost,
    origins: allowOrigin,
  });
  terminal.out(`muster serves agents at ${server.url}\n`);
  if (!isLoopback(server.address))
    terminal.err(
      'muster: warning: everyone who reaches this address can request and return machines: put an authenticating gateway in front of it.\n',
    );
  await new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve()));
  await server.close();
}
