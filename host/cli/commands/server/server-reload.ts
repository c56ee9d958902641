import { setTimeout as sleep } from 'node:timers/promises';
import { BrokerError } from '../../../../core/contract/errors.ts';
import { dataDirectoryOf } from '../../../client/data-directory-of.ts';
import { isServerProcess } from '../../../client/running-server.ts';
import { readLastReload, type LastReload } from '../../../data-directory/last-reload.ts';
import type { ServerPlace } from '../../../data-directory/server-place.ts';
import type { Terminal } from '../../../process/terminal.ts';
import { thisPackage } from '../../../process/this-package.ts';
import { exitCodes } from '../../exit-codes.ts';
import { livingServer } from './server-stop.ts';
import { reloadSignal } from './start/reload-on-signal.ts';

/** Milliseconds to wait for the server: a configuration that is a program may take long. */
const reloadMs = 30_000;
const pollMs = 20;

/**
 * `muster server reload`: the running server reads its configuration again, with the options of its start, and takes
 * over what changes without a restart. The server keeps its own when that configuration cannot be used.
 */
export async function reloadServer(config: string | undefined, terminal: Terminal): Promise<number> {
  const dataDirectory = dataDirectoryOf(config);
  const place = await livingServer(dataDirectory);
  if (!place) {
    terminal.err(`No server runs on the data directory ${dataDirectory}: it reads the configuration at its start.\n`);
    return exitCodes.unreachable;
  }
  if (!('port' in place)) {
    const message = `The server (pid ${place.pid}) has not started yet. \`muster server restart\` starts it with the configuration as it is now.`;
    throw new BrokerError('CONFLICT', message);
  }
  const outcome = await signalled(place, dataDirectory);
  if (!outcome) {
    const what = isServerProcess(place)
      ? `has not said within ${reloadMs / 1000} s what came of it`
      : 'ended before it said what came of it';
    terminal.err(`muster: the server (pid ${place.pid}) ${what}; muster server logs shows why.\n`);
    return exitCodes.failed;
  }
  if (outcome.error !== undefined) {
    terminal.err(
      `muster: ${outcome.error}\nThe configuration was not changed: the server (pid ${place.pid}) continues with the one that it has.\n`,
    );
    return exitCodes.refused;
  }
  for (const line of told(place, outcome)) terminal.out(`${line}\n`);
  return exitCodes.done;
}

/** What the server said of the reload that it was asked for; undefined when it said nothing in time. */
async function signalled(place: ServerPlace, dataDirectory: string): Promise<LastReload | undefined> {
  // The signal ends a process that does not handle it.
  if (!place.start || place.version !== thisPackage.version) throw cannotReload(place);
  const asked_at = Date.now();
  try {
    process.kill(place.pid, reloadSignal);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EPERM') throw cause;
    const message = `The server (pid ${place.pid}) belongs to another user, who must reload it.`;
    throw new BrokerError('CONFLICT', message, {}, { cause });
  }
  const end = performance.now() + reloadMs;
  while (performance.now() < end && isServerProcess(place)) {
    const outcome = readLastReload(dataDirectory);
    if (outcome?.pid === place.pid && outcome.began_at >= asked_at) return outcome;
    await sleep(pollMs);
  }
  return undefined;
}

function cannotReload({ pid, version, start }: ServerPlace): BrokerError {
  const why = start ? `runs muster ${version}, this is ${thisPackage.version}` : 'was started by another program';
  return new BrokerError('CONFLICT', `The server (pid ${pid}) ${why}: restart it for a change of its configuration.`);
}

function told({ pid }: ServerPlace, { applied, needs_restart }: LastReload): readonly string[] {
  const lines = applied.length > 0 ? [`The server (pid ${pid}) uses the changed ${list(applied)} from now on.`] : [];
  if (needs_restart.length > 0)
    lines.push(`Changes of ${list(needs_restart)} take effect with: muster server restart`);
  return lines.length > 0 ? lines : [`The configuration of the server (pid ${pid}) has not changed.`];
}

const list = (parts: readonly string[]): string => parts.join(', ');
