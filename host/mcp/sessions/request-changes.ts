import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestAnswer } from '../../../core/contract/answers.ts';
import type { OperationClient } from '../../client/server-client.ts';
import { asSdkError } from '../../sdk/errors.ts';
import type { ClientPool, Lease } from './client-pool.ts';

/** The pause before a lost connection is made anew, and between two looks without a server, in milliseconds. */
const pauseMs = 2_000;
const ended: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);

/**
 * Watches a request. Resolves when the request is known, and rejects with REQUEST_NOT_FOUND. The iteration yields at
 * each change of the status document, until the request has ended.
 */
export type WatchRequest = (request_id: string, signal: AbortSignal) => Promise<AsyncIterable<void>>;

/** Watches requests by a stream of the server; without a server, by looks at the store of this process. */
export function requestWatcher(pool: ClientPool): WatchRequest {
  return async (request_id, signal) => {
    const lease = await pool.lease('read');
    try {
      return changes(await look(lease.client, request_id, signal), lease);
    } catch (error) {
      lease.release();
      throw error;
    }

    async function* changes(first: RequestAnswer, from: Lease): AsyncGenerator<void> {
      let present = from;
      let last = first;
      try {
        while (!ended.has(last.status)) {
          try {
            for await (const answer of documents(present.client, request_id, signal)) {
              const isChange = JSON.stringify(answer) !== JSON.stringify(last);
              last = answer;
              if (isChange) yield;
              if (ended.has(answer.status)) return;
            }
          } catch (error) {
            if (signal.aborted || asSdkError(error).code !== 'UNAVAILABLE') throw error;
            present.retire();
          }
          present.release();
          await sleep(pauseMs, undefined, { signal });
          present = await pool.lease('read');
        }
      } finally {
        present.release();
      }
    }
  };
}

const look = async (client: OperationClient, request_id: string, signal: AbortSignal): Promise<RequestAnswer> =>
  (await client.call('sync_and_get_request', { request_id, long: false }, signal)) as RequestAnswer;

/** The present document, and each later one. */
async function* documents(
  client: OperationClient,
  request_id: string,
  signal: AbortSignal,
): AsyncGenerator<RequestAnswer> {
  const path = `/api/v1/requests/${encodeURIComponent(request_id)}/stream?long=false&timeout=86400`;
  const messages = await client.open?.(path, { 'x-scheduler': 'default' }, signal);
  if (messages) for await (const { data } of messages) yield JSON.parse(data) as RequestAnswer;
  else
    for (;;) {
      yield await look(client, request_id, signal);
      await sleep(pauseMs, undefined, { signal });
    }
}
