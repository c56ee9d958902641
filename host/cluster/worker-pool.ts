import { fork, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BrokerError } from '../../core/contract/errors.ts';
import type { Log } from '../../core/contract/log.ts';
import { carriedOn, type Family } from '../metrics/family.ts';
import type { ConnectionBalancer, Loss } from './connection-balancer.ts';
import type { FromWorker, ToWorker } from './messages.ts';

export interface WorkerPoolOptions {
  readonly workers: number;
  readonly log: Log;
  /** Deals connections out to those that serve. */
  readonly balancer: ConnectionBalancer;
  /** What the worker of this number is started with. */
  start(worker: number): ToWorker;
  /** Everything that a worker says, but what it counted. */
  hear(message: FromWorker, answer: (message: ToWorker) => void): void;
}

type Ready = Extract<FromWorker, { readonly told: 'ready' }>;

/** Workers count and answer within this time, or are taken at their last word. */
const measureMs = 1_000;
/** Longer than calls under way are waited for. */
const stopMs = 15_000;
const longestPause = 30_000;

const body = fileURLToPath(new URL(`./worker-process${extname(import.meta.url)}`, import.meta.url));

/** The processes that serve HTTP. One that ends is replaced: at once when it had served, ever later when it fails at its start. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #members = new Map<number, ChildProcess>();
  readonly #last = new Map<number, readonly Family[]>();
  readonly #measured = new Map<number, () => void>();
  readonly #failures = new Map<number, number>();
  #gone: readonly Family[] = [];
  #stopping = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  /** Starts all. Resolves with what the first of them says once each can serve; rejects when one cannot. */
  async begin(): Promise<Ready> {
    const numbers = Array.from({ length: this.#options.workers }, (_, index) => index + 1);
    const [first] = await Promise.all(numbers.map((number) => this.#hire(number)));
    for (const number of numbers) this.#keep(number);
    return first as Ready;
  }

  tell(message: ToWorker): void {
    for (const worker of this.#members.values()) say(worker, message);
  }

  /** What all workers counted, those included that are gone. */
  async measures(): Promise<readonly (readonly Family[])[]> {
    await Promise.all([...this.#members].map(([number, worker]) => this.#measure(number, worker)));
    return [this.#gone, ...this.#last.values()];
  }

  /** Lets calls under way end. Resolves when no worker is left. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(
      [...this.#members.values()].map(async (worker) => {
        const ended = new Promise<void>((resolve) => void worker.once('exit', () => resolve()));
        say(worker, { do: 'stop' });
        const late = setTimeout(() => worker.kill('SIGKILL'), stopMs);
        await ended;
        clearTimeout(late);
      }),
    );
  }

  #hire(number: number): Promise<Ready> {
    const { balancer, hear, start } = this.#options;
    const worker = fork(body, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.#members.set(number, worker);
    return new Promise((resolve, reject) => {
      worker.on('message', (message: FromWorker) => {
        if (message.told === 'taken') return balancer.taken(message.id);
        if (message.told === 'measured') return this.#take(number, message.families);
        if (message.told === 'leaving') balancer.leave(number);
        if (message.told === 'failed') reject(new BrokerError(message.code ?? 'INTERNAL', message.message));
        if (message.told === 'ready') {
          balancer.join(number, (id, local, socket, failed) => give(worker, { do: 'serve', id, local }, socket, failed));
          resolve(message);
        }
        hear(message, (answer) => say(worker, answer));
      });
      worker.once('exit', (code, signal) => {
        this.#members.delete(number);
        balancer.leave(number);
        this.#gone = carriedOn(this.#gone, this.#last.get(number) ?? []);
        this.#take(number, []);
        reject(new BrokerError('INTERNAL', `Worker ${number} ended with ${signal ?? code} at its start.`));
      });
      worker.once('error', reject);
      say(worker, start(number));
    });
  }

  /** Replaces the worker of this number whenever it ends. */
  #keep(number: number): void {
    const worker = this.#members.get(number);
    if (!worker) return this.#replace(number, 'ended');
    worker.once('exit', (code, signal) => this.#replace(number, `ended with ${signal ?? code}`));
  }

  #replace(number: number, how: string): void {
    if (this.#stopping) return;
    const failures = this.#failures.get(number) ?? 0;
    const pause_ms = failures === 0 ? 0 : Math.min(longestPause, 250 * 2 ** failures);
    this.#options.log.error({ worker: number, pause_ms }, `Worker ${number} ${how}. It is replaced.`);
    setTimeout(() => {
      if (this.#stopping) return;
      this.#hire(number).then(
        () => this.#failures.delete(number),
        (error: Error) => {
          this.#failures.set(number, failures + 1);
          this.#options.log.error({ err: error, worker: number }, 'A worker cannot start.');
        },
      );
      this.#keep(number);
    }, pause_ms);
  }

  #measure(number: number, worker: ChildProcess): Promise<void> {
    return new Promise((resolve) => {
      const late = setTimeout(resolve, measureMs);
      const before = this.#measured.get(number);
      this.#measured.set(number, () => {
        before?.();
        clearTimeout(late);
        resolve();
      });
      if (!before) say(worker, { do: 'measure' });
    });
  }

  #take(number: number, families: readonly Family[]): void {
    this.#last.set(number, families);
    this.#measured.get(number)?.();
    this.#measured.delete(number);
  }
}

function say(worker: ChildProcess, message: ToWorker): void {
  // One that is about to end hears nothing more.
  if (worker.connected) worker.send(message, () => undefined);
}

function give(worker: ChildProcess, message: ToWorker, socket: Socket, failed: (loss: Loss) => void): void {
  if (!worker.connected) return failed('worker');
  worker.send(message, socket, { keepOpen: true }, (error) => {
    if (error) failed(worker.connected && (error as NodeJS.ErrnoException).code === 'EBADF' ? 'connection' : 'worker');
  });
}
