import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Ending } from '../../runner.ts';
import type { Task } from './writer.ts';

// A source file next to the sources, a built file in a package.
const writer = new URL(`./writer.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);

// The arguments with which this process loads its modules, without those of its test runner.
const given = process.execArgv.filter((each) => !/^--(experimental-)?(test|watch|inspect)/.test(each));

/** A process that works on a storage. */
export interface Started {
  /** How it ended: its exit code, or the signal. */
  readonly end: Promise<number | string | null>;
  /** The lines that it has acknowledged so far, without an incomplete last line. */
  lines(): readonly string[];
  /** Its standard error. */
  said(): string;
  /** Resolves when `holds` accepts its lines; rejects if the process ends before. */
  until(holds: (lines: readonly string[]) => boolean): Promise<void>;
  kill(): void;
}

/** Starts a writer in a process of its own. It is killed when the check ends. */
export function started(task: Task, ending: Ending): Started {
  const child = spawn(process.execPath, [...given, fileURLToPath(writer), JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  ending.defer(() => child.kill('SIGKILL'));
  let printed = '';
  let complaint = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text));
  const lines = () => printed.split('\n').slice(0, -1);
  let over = false;
  const end = once(child, 'close').then(([code, signal]) => {
    over = true;
    return (code ?? signal) as number | string | null;
  });
  return {
    end,
    lines,
    said: () => complaint,
    kill: () => void child.kill('SIGKILL'),
    async until(holds) {
      while (!holds(lines())) {
        if (over) throw new Error(`The process ended too early: ${complaint}`);
        await Promise.race([once(child.stdout, 'data'), end]);
      }
    },
  };
}

/** Runs a writer in a thread of this process; resolves at its end. */
export async function inThread(task: Task): Promise<void> {
  const worker = new Worker(writer, { workerData: task });
  const [code] = (await once(worker, 'exit')) as [number];
  if (code !== 0) throw new Error(`The thread ended with ${code}.`);
}
