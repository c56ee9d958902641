import { createServer } from 'node:net';
import { isTaken } from '../../data-directory/data-directory.ts';
import { readServerPlace } from '../../data-directory/server-place.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { HostCheck } from '../report.ts';

/** Whether a server can listen, or the server of the data directory does already. */
export const portCheck: HostCheck<{ readonly host: string; readonly port: number; readonly data_directory: string }> =
  {
    name: 'port',
    why: 'The server answers on this port; without it no server starts.',
    remedy: 'End the program that uses the port, or set server.port to another one.',
    async run({ host, port, data_directory }) {
      if (port === 0) return [{ level: 'ok', message: 'The server takes any free port.' }];
      const code = await listenError(host, port);
      if (code === undefined) return [{ level: 'ok', message: `Port ${port} on ${host} is free.` }];
      const own = ownServer(data_directory);
      if (code === 'EADDRINUSE' && own !== undefined && own.port === port)
        return [
          { level: 'ok', message: `The server of this data directory (pid ${own.pid}) uses port ${port} on ${host}.` },
        ];
      const reason = code === 'EADDRINUSE' ? 'is used by another program' : `cannot be used (${code})`;
      return [{ level: 'error', message: `Port ${port} on ${host} ${reason}.` }];
    },
  };

function listenError(host: string, port: number): Promise<string | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? 'unknown'));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** The live server of the data directory. */
function ownServer(data_directory: string): { readonly pid: number; readonly port: number } | undefined {
  if (!existsSync(join(data_directory, 'server.lock')) || !isTaken(data_directory)) return undefined;
  return readServerPlace(data_directory);
}
