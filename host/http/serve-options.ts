import type { LoadedConfiguration } from '../../config/load.ts';
import type { Budget } from '../../core/budgets/budget.ts';
import type { Log } from '../../core/contract/log.ts';
import type { StartRecord } from '../data-directory/start-record.ts';

export interface RunningServer {
  /** `http://127.0.0.1:8000` */
  readonly url: string;
  /** For the person who started the server: its address, and calls to try. */
  readonly greeting: string;
  /** From now on these budgets count, in all threads and processes of the server. */
  useBudgets(budgets: readonly Budget[]): Promise<void>;
  /** Waits for open calls, accepts no new ones, releases the leases and closes the store. Idempotent. */
  close(): Promise<void>;
}

export interface ServeOptions {
  readonly loaded: LoadedConfiguration;
  readonly log: Log;
  /** Logs every answered call. */
  readonly log_calls?: boolean;
  /**
   * Serves HTTP on the storage of another server without reconciling: no loop, no lock, no `server.json`, and a socket
   * only when one is configured.
   */
  readonly api_only?: boolean;
  /** How the server was started; recorded for restarts. */
  readonly start?: StartRecord;
}
