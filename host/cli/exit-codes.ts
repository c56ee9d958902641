import { codes, type Code } from '../../core/contract/errors.ts';

/** What the process ends with, for scripts. */
export const exitCodes = { done: 0, failed: 1, usage: 2, not_found: 3, refused: 4, unreachable: 5, short: 6, interrupted: 130 } as const;

/** What each of them means, as help and documentation say it. */
export const exitMeanings: readonly (readonly [number, string])[] = [
  [exitCodes.done, 'done'],
  [exitCodes.failed, 'failed; with --wait also: the request failed, was cancelled, or has not ended in time'],
  [exitCodes.usage, 'the command line is wrong; --all without --force'],
  [exitCodes.not_found, 'what is named does not exist'],
  [exitCodes.refused, 'refused: invalid input or configuration, a conflict, a limit; a check that found errors'],
  [exitCodes.unreachable, 'the server or the cloud is not reachable'],
  [exitCodes.short, 'with --wait: ended with fewer machines than were asked for'],
  [exitCodes.interrupted, 'interrupted while waiting'],
];

/** By the code of a refusal, whether it was made here or came from a server. */
export function exitCodeOf(error: unknown): number {
  const code = codeOf(error);
  if (code === undefined) return exitCodes.failed;
  const { status } = codes[code];
  if (status === 404) return exitCodes.not_found;
  if (status === 503) return exitCodes.unreachable;
  return status < 500 ? exitCodes.refused : exitCodes.failed;
}

/** The code of a refusal; undefined for what nobody foresaw. */
export function codeOf(error: unknown): Code | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && Object.hasOwn(codes, code) ? (code as Code) : undefined;
}
