/**
 * Becomes the process of one machine. It takes the slot first and becomes the command then, under the same pid: of all
 * runners that are ever started for a slot only one gets that far, whoever dies in between. /
 */
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { createOnce } from './create-once.ts';
import { startOf } from './start-of.ts';

/**
 * What a runner is told: over a pipe, since arguments and environment of a process can be read by others, and may hold
 * secrets.
 */
export interface Task {
  /** The file that says who took the slot. */
  readonly slot: string;
  /** The file that says that nothing shall be started in it. */
  readonly released: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Who took a slot: a process, or nobody because the command cannot be started. */
export type Slot = { readonly at: string } & (
  | { readonly pid: number; readonly start: string }
  | { readonly failed: string }
);

/** The third pipe. It closes as this process becomes the command, which tells the one who waits. */
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
