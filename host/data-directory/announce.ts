import type { ServeOptions } from '../http/serve-options.ts';
import { thisPackage } from '../process/this-package.ts';
import { removeServerPlace, writeServerPlace } from './server-place.ts';
import { writeLastStart } from './start-record.ts';
import { removeStartingServer } from './starting-server.ts';

/**
 * Writes the address of the server to `server.json`, and removes the file when the result is disposed. From now on the
 * server does not count as one that starts. Records `start` as the last start of the data directory.
 */
export function announce({ loaded, start }: ServeOptions, port: number, socket_path: string | null): Disposable {
  const { data_directory, server } = loaded.configuration;
  const started_at = new Date().toISOString();
  const { version } = thisPackage;
  if (start) writeLastStart(data_directory, start);
  const place = {
    pid: process.pid,
    host: server.host,
    port,
    socket_path,
    started_at,
    version,
    ...(start ? { start } : {}),
  };
  writeServerPlace(data_directory, place);
  removeStartingServer(data_directory);
  return { [Symbol.dispose]: () => removeServerPlace(data_directory) };
}
