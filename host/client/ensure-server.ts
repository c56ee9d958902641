import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Configuration } from '../../config/configuration.ts';
import { BrokerError } from '../../core/contract/errors.ts';
import { isTaken } from '../data-directory/data-directory.ts';
import type { ServerPlace } from '../data-directory/server-place.ts';
import { startInBackground } from './background-server.ts';
import { whyNotFree } from './free-port.ts';
import { runningServer } from './running-server.ts';

/** A process that has the directory and is no server yet may become one; one that embeds muster never does. */
const becomingMs = 3_000;
const pollMs = 50;

/**
 * Sees to it that somebody carries out what is stored: a server that runs, one started in the background, or (undefined) a program that has the data
 * directory and is no server. UNAVAILABLE, with what the server wrote, when none can be started.
 */
export async function seeToWork(configuration: Configuration, config: string | undefined): Promise<ServerPlace | undefined> {
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
  // Nobody asked for the port: when another has it, the socket is enough.
  if (await whyNotFree(server.port, server.host)) options.push('--port', '0');
  const started = await startInBackground(data_directory, options);
  if (started.place) return started.place;
  const said = started.said.map((line) => `\n  ${line}`).join('');
  throw new BrokerError('UNAVAILABLE', `no server could be started to carry it out.${said || ' It wrote nothing.'}`);
}
