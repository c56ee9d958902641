import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Task } from './storage-sqlite-writer.ts';

const writer = fileURLToPath(new URL('./storage-sqlite-writer.ts', import.meta.url));

/** A writer in a process of its own. */
export function inProcess(task: Task): ChildProcess {
  return spawn(process.execPath, [writer, JSON.stringify(task)], { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Rejects when the process did not end well. */
export async function ended(child: ChildProcess): Promise<void> {
  const [code] = child.exitCode === null ? ((await once(child, 'exit')) as [number | null]) : [child.exitCode];
  if (code !== 0) throw new Error(`The process ended with ${code}.`);
}
