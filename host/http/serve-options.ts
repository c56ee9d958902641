import type { LoadedConfiguration } from '../../config/load.ts';
import type { Log } from '../../core/contract/log.ts';
import type { StartRecord } from '../data-directory/start-record.ts';

export interface RunningServer {
  /** `http://127.0.0.1:8000` */
  readonly url: string;
  /** For the person who started it: where it is, and what to try. */
  readonly greeting: string;
  /** Answers calls that are under way, takes no new ones, gives claims back, closes the store. Idempotent. */
  close(): Promise<void>;
}

export interface ServeOptions {
  readonly loaded: LoadedConfiguration;
  readonly log: Log;
  /** Log every call that was answered. */
  readonly log_calls?: boolean;
  /** Serves HTTP on the storage of another server, and carries nothing out: no loop, no lock, no `server.json`, no socket unless one is named. */
  readonly api_only?: boolean;
  /** How it was started, to be remembered. */
  readonly start?: StartRecord;
}
