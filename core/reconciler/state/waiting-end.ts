import type { RequestRecord } from '../../model/request.ts';

/** How the waiting of a request for its machines ended, or will end. */
export interface WaitingEnd {
  /** Since the acceptance of the request. */
  readonly seconds: number;
  /** A caller ended the waiting before the time-out. */
  readonly by_caller: boolean;
}

export function waitingEnd({ created_at, deadline_at, timeout_s, shifted_ms = 0 }: RequestRecord): WaitingEnd {
  const ms = deadline_at - created_at - shifted_ms;
  return { seconds: Math.round(ms / 1000), by_caller: timeout_s !== undefined && ms < timeout_s * 1000 };
}
