import type { ServeOptions } from '../http/serve-options.ts';
import { thisPackage } from '../process/this-package.ts';
import { lockDataDirectory } from './data-directory.ts';
import { removeServerPlace } from './server-place.ts';
import { removeStartingServer, writeStartingServer } from './starting-server.ts';

/** The data directory of a server that starts. Free again when it is disposed. */
export interface ClaimedDirectory extends Disposable {
  /** Tells other commands why the start waits; undefined: it goes on. */
  waits(why: string | undefined): void;
}

/**
 * Locks the data directory for a server, and tells other commands that the server starts, until `announce` says where
 * it answers. Throws CONFLICT when another server has the directory.
 */
export function claimDirectory({ loaded, start, log }: ServeOptions): ClaimedDirectory {
  const { data_directory } = loaded.configuration;
  const lock = lockDataDirectory(data_directory);
  const { version } = thisPackage;
  const starting = { pid: process.pid, started_at: new Date().toISOString(), version, ...(start ? { start } : {}) };
  const leave = () => removeStartingServer(data_directory);
  try {
    // Of a server that was killed.
    removeServerPlace(data_directory);
    writeStartingServer(data_directory, starting);
  } catch (error) {
    lock[Symbol.dispose]();
    throw error;
  }
  process.once('exit', leave);
  return {
    waits(why) {
      try {
        writeStartingServer(data_directory, { ...starting, ...(why === undefined ? {} : { waits_for: why }) });
      } catch (err) {
        // Also with a full disk the start goes on when the storage comes.
        log.warn({ err }, 'Other commands are not told why the start waits.');
      }
    },
    [Symbol.dispose]() {
      process.off('exit', leave);
      leave();
      lock[Symbol.dispose]();
    },
  };
}
