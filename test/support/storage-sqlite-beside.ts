import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
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

/** A writer in a thread of this process; resolves when it is done. */
export async function inThread(task: Task): Promise<void> {
  const worker = new Worker(writer, { workerData: task });
  const [code] = (await once(worker, 'exit')) as [number];
  if (code !== 0) throw new Error(`The thread ended with ${code}.`);
}
