import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

const running = new Set<Child>();

export interface ChildOptions {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  /** Whether it can be asked. Default true. */
  readonly answers?: boolean;
}

/** A process that the bench started, and ends. */
export class Child {
  readonly process: ChildProcess;
  #errors = '';

  constructor(command: string, args: readonly string[], options: ChildOptions = {}) {
    this.process = spawn(command, args, {
      env: { ...process.env, NODE_ENV: 'production', ...options.env },
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      stdio: options.answers === false ? ['ignore', 'ignore', 'pipe'] : ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.process.stderr?.on('data', (text: Buffer) => (this.#errors += text.toString()));
    running.add(this);
  }

  /** A file of the bench as a process of its own, on the same Node. */
  static of(file: string, args: readonly string[] = []): Child {
    return new Child(process.execPath, [file, ...args]);
  }

  get pid(): number {
    return this.process.pid as number;
  }

  /** What it wrote to stderr. */
  get errors(): string {
    return this.#errors;
  }

  get ended(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null;
  }

  /** Sends it a job and gives its answer. One at a time. */
  async ask<Answer>(job: object): Promise<Answer> {
    const gone = new AbortController();
    const exit = once(this.process, 'exit', { signal: gone.signal }).then(() => {
      throw new Error(`A process of the bench ended before its answer: ${this.#errors}`);
    });
    try {
      const answer = once(this.process, 'message', { signal: gone.signal });
      this.process.send(job);
      const [message] = await Promise.race([answer, exit]);
      return message as Answer;
    } finally {
      gone.abort();
      exit.catch(() => undefined);
    }
  }

  async stop(): Promise<void> {
    running.delete(this);
    if (this.ended) return;
    const exited = once(this.process, 'exit');
    this.process.kill('SIGTERM');
    const late = setTimeout(() => this.process.kill('SIGKILL'), 5_000);
    await exited;
    clearTimeout(late);
  }
}

/** Ends whatever is still there. */
export async function stopAll(): Promise<void> {
  await Promise.all([...running].map((child) => child.stop()));
}
