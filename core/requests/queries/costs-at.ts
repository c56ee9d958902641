import { isTerminal, type RequestRecord } from '../../model/request.ts';

const minuteMs = 60_000;

/**
 * The time for which an answer tells costs. The cost of machines that run grows, so an answer that is polled is
 * rendered once a minute for it.
 */
export const costsAt = (now: number): number => Math.floor(now / minuteMs) * minuteMs;

/** Whether the costs of the request change only with the request: all its machines are gone. */
export const hasFinalCosts = ({ kind, status, holds }: RequestRecord): boolean =>
  kind === 'return' ? status === 'completed' : isTerminal(status) && holds === 0;
