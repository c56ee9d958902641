import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestAnswer } from '../../core/contract/answers.ts';
import { MethodExecutionError } from './errors.ts';

export interface WaitOptions {
  /** Default: as long as the request itself waits. */
  readonly timeout_ms?: number;
  /** Between two looks, at least 250. Default: 250 at first, then twice as long each time, up to 1000. */
  readonly poll_ms?: number;
  readonly signal?: AbortSignal;
  /** Told at each look. */
  progress?(now: RequestAnswer): void;
}

const least = 250;
const most = 1_000;
const terminal: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);

/** Looks until the request has ended. Rejects when `timeout_ms` passed first, and with the signal's reason. */
export async function waitFor(
  look: (signal: AbortSignal | undefined) => Promise<RequestAnswer>,
  { timeout_ms = Infinity, poll_ms, signal, progress }: WaitOptions,
): Promise<RequestAnswer> {
  const end = performance.now() + timeout_ms;
  for (
    let pause = Math.max(poll_ms ?? least, least);
    ;
    pause = poll_ms === undefined ? Math.min(pause * 2, most) : pause
  ) {
    const now = await look(signal);
    progress?.(now);
    if (terminal.has(now.status)) return now;
    const left = end - performance.now();
    if (left <= 0) {
      const message = `Request '${now.request_id}' is still ${now.status} after ${Math.round(timeout_ms / 1000)} s: ${now.message}`;
      throw new MethodExecutionError('UNAVAILABLE', message, { request_id: now.request_id, status: now.status });
    }
    await sleep(Math.min(pause, left), undefined, signal ? { signal } : {}).catch((error: unknown) => {
      throw signal?.aborted ? signal.reason : error;
    });
  }
}
