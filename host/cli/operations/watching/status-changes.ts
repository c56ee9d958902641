import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestAnswer } from '../../../../core/contract/answers.ts';
import { asSdkError } from '../../../sdk/errors.ts';
import type { OperationClient } from '../../../client/server-client.ts';
import type { EventMessage } from '../../../sdk/event-messages.ts';
import { hasEnded } from '../../outcome.ts';
import { polled } from './watch.ts';

/** The pauses before a lost stream is opened again, and between two looks without a server. */
const firstPauseMs = 250;
const longestPauseMs = 5_000;
const pollS = 2;
/** A stream is opened again after this time, in seconds. */
const timeoutS = 3_600;
/** The command line has muster's own format whatever the scheduler of the server is. */
const headers = { 'x-scheduler': 'default' };

/**
 * The status documents of a request as they change, until it has ended. `reconnect` returns a client after the
 * connection was lost. Rejects when the first connection fails, and with the reason of the signal.
 */
export async function* statusChanges(
  client: OperationClient,
  input: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
  reconnect: () => Promise<OperationClient>,
): AsyncGenerator<RequestAnswer> {
  const { request_id, long = true } = input;
  const path = `/api/v1/requests/${encodeURIComponent(String(request_id))}/stream?long=${String(long)}&timeout=${timeoutS}`;
  const documents = async (from: OperationClient): Promise<AsyncIterable<RequestAnswer>> =>
    from.open ? parsed(await from.open(path, headers, signal)) : polled(() => look(from), pollS, signal);
  const look = async (from: OperationClient) =>
    (await from.call('sync_and_get_request', input, signal)) as RequestAnswer;
  let present = client;
  let pause = firstPauseMs;
  try {
    for (let first = true; ; ) {
      try {
        for await (const answer of await documents(present)) {
          first = false;
          yield answer;
          if (hasEnded(answer)) return;
          pause = firstPauseMs;
        }
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (first || asSdkError(error).code !== 'UNAVAILABLE') throw error;
      }
      await sleep(pause, undefined, { signal });
      pause = Math.min(longestPauseMs, pause * 2);
      const next = await reconnect().catch(() => undefined);
      if (next && present !== client) await present.close();
      present = next ?? present;
    }
  } finally {
    if (present !== client) await present.close();
  }
}

async function* parsed(messages: AsyncIterable<EventMessage>): AsyncGenerator<RequestAnswer> {
  for await (const { data } of messages) yield JSON.parse(data) as RequestAnswer;
}
