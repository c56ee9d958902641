/**
 * Becomes the process of one machine. The runner takes the slot first, and then becomes the command under the same
 * pid: of all runners that are started for a slot only one becomes the command, whichever runner ends in between.
 */
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { createOnce } from './create-once.ts';
import { startOf } from './start-of.ts';

/**
 * The input of a runner. It comes over a pipe: other users can read the arguments and the environment of a process,
 * and both may contain secrets.
 */
export interface Task {
  /** The file that records which process took the slot. */
  readonly slot: string;
  /** The file whose existence forbids a start in this slot. */
  readonly released: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The record of a slot: the process that took it, or the reason why the command cannot be started. */
export type Slot = { readonly at: string } & (
  | { readonly pid: number; readonly start: string }
  | { readonly failed: string }
);

/** File descriptor 3 is the pipe. It closes when this process becomes the command: `startRunner` waits for it. */
const { slot, released, command, args, cwd, env } = JSON.parse(readFileSync(3, 'utf8')) as Task;
const at = new Date().toISOString();
const failed = isDirectory(cwd) ? undefined : `The directory '${cwd}' does not exist.`;
const file = failed === undefined ? executable() : undefined;
if (file === undefined) {
  createOnce(slot, {
    at,
    failed: failed ?? `'${command}' is no program that can be run: neither a file nor in PATH.`,
  } satisfies Slot);
} else if (
  createOnce(slot, { at, pid: process.pid, start: startOf(process.pid) ?? '' } satisfies Slot) &&
  !existsSync(released)
) {
  process.chdir(cwd);
  process.execve?.(file, [command, ...args], env);
}

function executable(): string | undefined {
  const places = command.includes('/') ? [''] : (env['PATH'] ?? '').split(delimiter);
  return places.map((place) => resolve(cwd, place, command)).find(canRun);
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
