import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Configuration } from '../../config/configuration.ts';
import { BrokerError } from '../../core/contract/errors.ts';
import { isTaken } from '../data-directory/data-directory.ts';
import type { ServerPlace } from '../data-directory/server-place.ts';
import { startInBackground } from './background-server.ts';
import { listenError } from './listen-error.ts';
import { runningServer } from './running-server.ts';

/**
 * Milliseconds that a process which holds the data directory gets to become a server. A program that embeds muster
 * never does.
 */
const becomingMs = 3_000;
const pollMs = 50;

/**
 * Ensures that a server processes stored requests. Returns a running server or starts one in the background; undefined
 * when a program that is not a server holds the data directory. Throws UNAVAILABLE, with the output of the server,
 * when none can be started.
 */
export async function ensureServer(
  configuration: Configuration,
  config: string | undefined,
): Promise<ServerPlace | undefined> {
  const { data_directory, server } = configuration;
  const end = performance.now() + becomingMs;
  for (;;) {
    const place = await runningServer(data_directory);
    if (place) return place;
    if (!isTaken(data_directory)) break;
    if (performance.now() > end) return undefined;
    await sleep(pollMs);
  }
  const options = config === undefined ? [] : ['--config', resolve(config)];
  // The port is only a default here: when another program uses it, any free port and the socket are sufficient.
  if (await listenError(server.port, server.host)) options.push('--port', '0');
  const started = await startInBackground(data_directory, options);
  if (started.place) return started.place;
  const output = started.output.map((line) => `\n  ${line}`).join('');
  throw new BrokerError(
    'UNAVAILABLE',
    `no server could be started to process the request.${output || ' It wrote nothing.'}`,
  );
}
