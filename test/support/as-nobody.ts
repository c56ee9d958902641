import { execFile } from 'node:child_process';
import test, { type ExecutionContext } from 'ava';
import { isReachable } from './reachable.ts';

/**
 * Runs a program as a user who may read and write nothing of its own: root may write everywhere, so tests of rights
 * must not be root.
 */
export function asNobody(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  return new Promise((resolve) => {
    execFile(program, args, { ...options, ...user, timeout: 60_000 }, (error, out, err) =>
      resolve({ code: error ? Number(error.code ?? -1) : 0, out, err }),
    );
  });
}

/** A test that starts muster by `asNobody`: skipped, and said why, where that user cannot reach the project. */
export function testAsNobody(title: string, body: (t: ExecutionContext) => Promise<void>): void {
  if (process.getuid?.() !== 0 || isReachable) test(title, body);
  else test.skip(`${title} (skipped: other users cannot enter the directory of the project)`, body);
}
