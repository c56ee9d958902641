import { codes, isBrokerError } from '../../core/errors.ts';

/** What the process ends with, for scripts. */
export const exitCodes = { done: 0, failed: 1, usage: 2, not_found: 3, refused: 4, unreachable: 5, short: 6 } as const;

export function exitCodeOf(error: unknown): number {
  if (!isBrokerError(error)) return exitCodes.failed;
  const { status } = codes[error.code];
  if (status === 404) return exitCodes.not_found;
  if (status === 503) return exitCodes.unreachable;
  return status < 500 ? exitCodes.refused : exitCodes.failed;
}
