import { httpTransport } from '../../../sdk/http-transport.ts';
import { dataDirectoryOf } from '../../../client/data-directory-of.ts';
import { addressOf, runningServer } from '../../../client/running-server.ts';
import { startingServer } from '../../../client/server-process.ts';
import { urlOf } from '../../../http/url-of.ts';
import type { Terminal } from '../../../process/terminal.ts';
import { exitCodes } from '../../exit-codes.ts';
import { print, type Form } from '../../output/print.ts';

const answerMs = 2_000;

/** `muster server status` */
export async function serverStatus(config: string | undefined, output: Form, terminal: Terminal): Promise<number> {
  const data_directory = dataDirectoryOf(config);
  const place = await runningServer(data_directory);
  const starting = place ? undefined : startingServer(data_directory);
  if (starting) {
    const { pid, started_at, version, start, waits_for } = starting;
    const status = waits_for === undefined ? 'starting' : 'waiting';
    const { config: configuration, simulated } = start ?? {};
    const shown = { status, pid, data_directory, configuration, simulated, started_at, version, reason: waits_for };
    await print('server_status', shown, output, terminal);
    return exitCodes.unreachable;
  }
  if (!place) {
    await print('server_status', { status: 'stopped', data_directory }, output, terminal);
    return exitCodes.unreachable;
  }
  const { pid, socket_path, started_at, version, start } = place;
  const transport = httpTransport(addressOf(place), answerMs);
  const info = await transport.send({ method: 'GET', path: '/info' }).catch(() => undefined);
  transport.close();
  const { scheduler, workers, loop, broker_id } = info
    ? (JSON.parse(info.body) as Readonly<Record<string, unknown>>)
    : {};
  const status = info ? 'running' : 'not answering';
  await print(
    'server_status',
    {
      status,
      url: urlOf(place),
      pid,
      socket_path,
      data_directory,
      configuration: start?.config,
      simulated: start?.simulated,
      started_at,
      version,
      scheduler,
      workers,
      loop,
      broker_id,
    },
    output,
    terminal,
  );
  return info ? exitCodes.done : exitCodes.unreachable;
}
