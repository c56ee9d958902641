import type { RequestAnswer } from '../../../core/contract/answers.ts';
import { waitFor } from '../../sdk/wait-for.ts';
import type { OperationClient } from '../../client/server-client.ts';
import { printableLine } from '../../process/printable.ts';
import type { Terminal } from '../../process/terminal.ts';
import { exitCodes } from '../exit-codes.ts';
import { hasEnded, outcomeOf } from '../outcome.ts';
import { progress } from './progress.ts';

const pollMs = 500;

export interface Waited {
  /** The final answers, in the order of the requests. */
  readonly requests: readonly RequestAnswer[];
  readonly code: number;
}

export interface WaitingFor {
  readonly request_ids: readonly string[];
  /** The requests that the command cancels. */
  readonly cancelling: readonly string[];
}

/** Returns the requests in the answer to a command. */
export function requestsIn(answer: unknown, cancels: boolean): WaitingFor {
  const {
    request_id,
    return_request_ids = [],
    cancelled_request_ids = [],
  } = answer as {
    readonly request_id?: string;
    readonly return_request_ids?: readonly string[];
    readonly cancelled_request_ids?: readonly string[];
  };
  const own = request_id === undefined ? [] : [request_id];
  return {
    request_ids: [...own, ...cancelled_request_ids, ...return_request_ids],
    cancelling: [...(cancels ? own : []), ...cancelled_request_ids],
  };
}

/** Waits until every request has ended or the time is over, and prints progress. Returns the worst exit code. */
export async function waitForRequests(
  client: OperationClient,
  { request_ids, cancelling }: WaitingFor,
  terminal: Terminal,
  { seconds, signal }: { readonly seconds?: number; readonly signal?: AbortSignal },
): Promise<Waited> {
  const end = performance.now() + (seconds ?? Infinity) * 1000;
  const requests: RequestAnswer[] = [];
  const shown = progress(terminal);
  try {
    for (const request_id of request_ids) {
      let last: RequestAnswer | undefined;
      const look = async () =>
        (last = (await client.call('sync_and_get_request', { request_id, long: true }, signal)) as RequestAnswer);
      await waitFor(look, {
        poll_ms: pollMs,
        timeout_ms: Math.max(0, end - performance.now()),
        progress: shown.show,
        ...(signal ? { signal } : {}),
      }).catch((error: unknown) => {
        // A time-out has an answer; an unreachable server has none.
        if (last === undefined || hasEnded(last) || performance.now() < end || signal?.aborted) throw error;
      });
      if (last !== undefined) requests.push(last);
    }
  } finally {
    shown.end();
  }
  for (const { request_id, status, message } of requests.filter((each) => !hasEnded(each)))
    terminal.err(`muster: ${request_id} is still ${status} after ${seconds} s: ${printableLine(message)}\n`);
  const found = requests.map((request) => outcomeOf(request, cancelling.includes(request.request_id)));
  const code = [exitCodes.failed, exitCodes.short].find((worst) => found.includes(worst)) ?? exitCodes.done;
  return { requests, code };
}
