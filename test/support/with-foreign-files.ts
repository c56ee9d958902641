import test, { type ExecutionContext } from 'ava';
import { isReachable } from './reachable.ts';

/** A user who is neither root nor the one who runs the tests, and owns nothing. */
export const foreignUser = 65_534;

/**
 * A test with files that belong to another user, which only root can make: skipped, and said why, for everybody else.
 */
export function withForeignFiles(title: string, body: (t: ExecutionContext) => Promise<void>): void {
  if (process.getuid?.() === 0) test(title, body);
  else test.skip(`${title} (skipped: only root can make files of other users)`, body);
}

/** The same for a test in which that user also starts muster. */
export function withForeignCaller(title: string, body: (t: ExecutionContext) => Promise<void>): void {
  if (isReachable) withForeignFiles(title, body);
  else test.skip(`${title} (skipped: other users cannot enter the directory of the project)`, body);
}
