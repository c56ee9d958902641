import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation } from '../../../core/operations/operation.ts';
import { mayBeSentAgain } from '../../client/may-be-sent-again.ts';
import { purposeOf } from '../../client/open-client.ts';
import { thisProgram } from '../../http/calling-program.ts';
import type { ClientPool } from './client-pool.ts';
import { requestWatcher, type WatchRequest } from './request-changes.ts';

/** Executes an operation and returns its answer in muster's own format. Rejects with errors of the SDK. */
export type ExecuteOperation = (
  operation: Operation<any, any>,
  input: unknown,
  signal: AbortSignal,
  /** The name of the MCP client, if it told one. */
  client?: string,
) => Promise<unknown>;

/** Access to the broker for a process that outlives servers. */
export interface BrokerAccess {
  readonly execute: ExecuteOperation;
  readonly watch: WatchRequest;
  /** Resolves when no call is open. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

const maxAttempts = 4;

/**
 * Executes each operation like the command line: at the server that is named or runs on the data directory, else on
 * the store in this process. An operation that leaves work starts a server in the background.
 */
export function brokerAccess(pool: ClientPool): BrokerAccess {
  const open = new Set<Promise<unknown>>();

  async function executeWithReattempts(
    operation: Operation<any, any>,
    input: unknown,
    signal: AbortSignal,
    client?: string,
  ): Promise<unknown> {
    const by = thisProgram('mcp', client);
    for (let attempts = 1; ; attempts += 1) {
      const lease = await pool.lease(purposeOf(operation));
      try {
        const answer = await lease.client.call(operation.name, input, signal, by);
        if (operation.leaves_work) await lease.ensureServer(answer);
        return answer;
      } catch (error) {
        if (attempts === maxAttempts || signal.aborted || !mayBeSentAgain(operation, error)) throw error;
        lease.retire();
      } finally {
        lease.release();
      }
      // A server that is ending accepts connections and breaks them.
      await sleep(attempts * 20);
    }
  }

  return {
    watch: requestWatcher(pool),
    execute(operation, input, signal, client) {
      const work = executeWithReattempts(operation, input, signal, client);
      open.add(work);
      const settled = () => void open.delete(work);
      work.then(settled, settled);
      return work;
    },
    async idle() {
      while (open.size > 0) await Promise.allSettled(open);
    },
    close: () => pool.close(),
  };
}
