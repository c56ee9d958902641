import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation } from '../../../core/operations/operation.ts';
import { purposeOf } from '../../client/open-client.ts';
import { asSdkError } from '../../sdk/errors.ts';
import type { ClientPool } from './client-pool.ts';

/** Carries an operation out, in our own words whatever the scheduler. Rejects as the SDK does. */
export type ExecuteOperation = (
  operation: Operation<any, any>,
  input: unknown,
  signal: AbortSignal,
) => Promise<unknown>;

/** The broker, for a process that outlives servers. */
export interface BrokerAccess {
  readonly carry: ExecuteOperation;
  /** Resolves when no call is under way. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

const mostTries = 4;

/**
 * Carries operations out as the command line does, call by call: at the server that is named or runs on the data
 * directory; without one on the store in this process, and an operation that leaves work to be done has a server
 * started in the background. /
 */
export function brokerAccess(pool: ClientPool): BrokerAccess {
  const underWay = new Set<Promise<unknown>>();

  async function carry(operation: Operation<any, any>, input: unknown, signal: AbortSignal): Promise<unknown> {
    for (let tries = 1; ; tries += 1) {
      const lease = await pool.lease(purposeOf(operation));
      try {
        const answer = await lease.client.call(operation.name, input, signal);
        if (operation.leaves_work) await lease.ensureServer(answer);
        return answer;
      } catch (error) {
        if (tries === mostTries || signal.aborted || !mayBeSentAgain(operation, error)) throw error;
        lease.retire();
      } finally {
        lease.release();
      }
      // One that is just ending takes connections and breaks them.
      await sleep(tries * 20);
    }
  }

  return {
    carry(operation, input, signal) {
      const work = carry(operation, input, signal);
      underWay.add(work);
      const settled = () => void underWay.delete(work);
      work.then(settled, settled);
      return work;
    },
    async idle() {
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
    close: () => pool.close(),
  };
}

/** The server went: what never reached it may be sent to its successor, and a question in any case. */
function mayBeSentAgain({ kind }: Operation<any, any>, reason: unknown): boolean {
  const { code, cause } = asSdkError(reason);
  const broken = (cause as NodeJS.ErrnoException | undefined)?.code;
  if (code !== 'UNAVAILABLE' || broken === undefined) return false;
  return kind === 'query' || broken === 'ECONNREFUSED' || broken === 'ENOENT';
}
