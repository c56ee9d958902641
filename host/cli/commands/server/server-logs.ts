import { setTimeout as sleep } from 'node:timers/promises';
import { BrokerError } from '../../../../core/contract/errors.ts';
import { dataDirectoryOf } from '../../../client/data-directory-of.ts';
import { interruption } from '../../../process/interruption.ts';
import { endOfLog, lastLines, logFileOf, readLog } from '../../../client/server-log.ts';
import type { Terminal } from '../../../process/terminal.ts';
import { exitCodes } from '../../exit-codes.ts';

const pollMs = 300;

/** `muster server logs` */
export async function serverLogs(
  config: string | undefined,
  { count, follow }: { readonly count: number; readonly follow: boolean },
  { out }: Terminal,
): Promise<number> {
  const dataDirectory = dataDirectoryOf(config);
  let read = endOfLog(dataDirectory);
  if (read === 0 && !follow)
    throw new BrokerError(
      'FILE_NOT_FOUND',
      `${logFileOf(dataDirectory)} does not exist or is empty: a server in the foreground logs to its terminal.`,
    );
  for (const line of lastLines(dataDirectory, count)) out(`${line}\n`);
  if (!follow) return exitCodes.done;
  using stop = interruption();
  while (!stop.signal.aborted) {
    const end = endOfLog(dataDirectory);
    // A new server has started a new log.
    if (end < read) read = 0;
    if (end > read) out(readLog(dataDirectory, read));
    read = end;
    await sleep(pollMs, undefined, { signal: stop.signal }).catch(() => undefined);
  }
  return exitCodes.done;
}
