import { codes, type Code } from '../../core/contract/errors.ts';

/** The exit codes of the process. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  not_found: 3,
  refused: 4,
  unreachable: 5,
  short: 6,
  interrupted: 130,
} as const;

/** The meaning of each exit code, for help and documentation. */
export const exitMeanings: readonly (readonly [number, string])[] = [
  [exitCodes.done, 'done'],
  [exitCodes.failed, 'failed; with --wait also: the request failed, was cancelled, or has not ended in time'],
  [exitCodes.usage, 'the command line is wrong; --all without --force'],
  [exitCodes.not_found, 'the named object does not exist'],
  [exitCodes.refused, 'refused: invalid input or configuration, a conflict, a limit; or a check found errors'],
  [exitCodes.unreachable, 'the server or the cloud is not reachable; a checked provider instance does not answer'],
  [exitCodes.short, 'with --wait: the request ended with fewer machines than requested'],
  [exitCodes.interrupted, 'interrupted while waiting'],
];

/** Returns the exit code of an error, of this process or of a server. */
export function exitCodeOf(error: unknown): number {
  const code = codeOf(error);
  if (code === undefined) return exitCodes.failed;
  const { status } = codes[code];
  if (status === 404) return exitCodes.not_found;
  if (status === 503) return exitCodes.unreachable;
  return status < 500 ? exitCodes.refused : exitCodes.failed;
}

/** Returns the code of an error; undefined for an unexpected error. */
export function codeOf(error: unknown): Code | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && Object.hasOwn(codes, code) ? (code as Code) : undefined;
}
