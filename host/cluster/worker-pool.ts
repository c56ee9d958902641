import { fork, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Budget } from '../../core/budgets/budget.ts';
import { BrokerError } from '../../core/contract/errors.ts';
import type { Log } from '../../core/contract/log.ts';
import { accumulate, type Family } from '../metrics/family.ts';
import type { ConnectionBalancer, Loss } from './connection-balancer.ts';
import type { FromWorker, ToWorker } from './messages.ts';

export interface WorkerPoolOptions {
  readonly workers: number;
  readonly log: Log;
  /** Distributes connections to the workers. */
  readonly balancer: ConnectionBalancer;
  /** Returns the start message of a worker. */
  start(worker: number): ToWorker;
  /** Handles every message of a worker except its metrics. */
  handle(message: FromWorker, answer: (message: ToWorker) => void): void;
}

type Ready = Extract<FromWorker, { readonly event: 'ready' }>;

/** Milliseconds to wait for the metrics of a worker; after that its last metrics count. */
const measureMs = 1_000;
/** Milliseconds to wait for a worker to stop: longer than it waits for its open calls. */
const stopMs = 15_000;
const longestPause = 30_000;

const body = fileURLToPath(new URL(`./worker-process${extname(import.meta.url)}`, import.meta.url));

/**
 * The worker processes that serve HTTP. Replaces every worker that ends: at once when it had served, with increasing
 * delay when it fails at its start.
 */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #members = new Map<number, ChildProcess>();
  readonly #lastMetrics = new Map<number, readonly Family[]>();
  readonly #pendingMetrics = new Map<number, () => void>();
  readonly #failures = new Map<number, number>();
  #ended: readonly Family[] = [];
  #tellings = 0;
  #stopping = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  /**
   * Starts all workers. Resolves with the message of the first one when all can serve; rejects when one cannot start.
   */
  async begin(): Promise<Ready> {
    const numbers = Array.from({ length: this.#options.workers }, (_, index) => index + 1);
    const [first] = await Promise.all(numbers.map((number) => this.#spawn(number)));
    for (const number of numbers) this.#supervise(number);
    return first as Ready;
  }

  broadcast(message: ToWorker): void {
    for (const worker of this.#members.values()) send(worker, message);
  }

  /** Resolves when all workers use these budgets. A worker that hangs uses them when it goes on, and is logged. */
  async useBudgets(budgets: readonly Budget[]): Promise<void> {
    const id = this.#tellings++;
    await Promise.all(
      [...this.#members].map(async ([number, worker]) => {
        const done = Promise.withResolvers<void>();
        const hear = (message: FromWorker) => {
          if (message.event === 'using' && message.id === id) done.resolve();
        };
        const timeout = setTimeout(() => {
          const message = `Worker ${number} has not confirmed the changed budgets; it uses them when it goes on.`;
          this.#options.log.warn({ worker: number }, message);
          done.resolve();
        }, measureMs);
        worker.on('message', hear).once('exit', done.resolve);
        send(worker, { do: 'budgets', id, budgets });
        await done.promise;
        clearTimeout(timeout);
        worker.off('message', hear).off('exit', done.resolve);
      }),
    );
  }

  /** Sends a message to one worker; false when none is there. */
  sendToOne(message: ToWorker): boolean {
    const worker = [...this.#members.values()].find(({ connected }) => connected);
    if (worker) send(worker, message);
    return worker !== undefined;
  }

  /** Returns the metrics of all workers, ended ones included. */
  async measures(): Promise<readonly (readonly Family[])[]> {
    await Promise.all([...this.#members].map(([number, worker]) => this.#measure(number, worker)));
    return [this.#ended, ...this.#lastMetrics.values()];
  }

  /** Stops all workers after their open calls. Resolves when all processes have ended. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(
      [...this.#members.values()].map(async (worker) => {
        const ended = new Promise<void>((resolve) => void worker.once('exit', () => resolve()));
        send(worker, { do: 'stop' });
        const timeout = setTimeout(() => worker.kill('SIGKILL'), stopMs);
        await ended;
        clearTimeout(timeout);
      }),
    );
  }

  #spawn(number: number): Promise<Ready> {
    const { balancer, handle, start } = this.#options;
    const worker = fork(body, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.#members.set(number, worker);
    return new Promise((resolve, reject) => {
      worker.on('message', (message: FromWorker) => {
        if (message.event === 'taken') return balancer.taken(message.id);
        if (message.event === 'measured') return this.#received(number, message.families);
        if (message.event === 'leaving') balancer.leave(number);
        if (message.event === 'failed') reject(new BrokerError(message.code ?? 'INTERNAL', message.message));
        if (message.event === 'ready') {
          balancer.join(number, (id, local, socket, failed) =>
            sendConnection(worker, { do: 'serve', id, local }, socket, failed),
          );
          resolve(message);
        }
        handle(message, (answer) => send(worker, answer));
      });
      worker.once('exit', (code, signal) => {
        this.#members.delete(number);
        balancer.leave(number);
        this.#ended = accumulate(this.#ended, this.#lastMetrics.get(number) ?? []);
        this.#received(number, []);
        reject(new BrokerError('INTERNAL', `Worker ${number} ended with ${signal ?? code} at its start.`));
      });
      worker.once('error', reject);
      send(worker, start(number));
    });
  }

  /** Replaces the worker whenever it ends. */
  #supervise(number: number): void {
    const worker = this.#members.get(number);
    if (!worker) return this.#replace(number, 'ended');
    worker.once('exit', (code, signal) => this.#replace(number, `ended with ${signal ?? code}`));
  }

  #replace(number: number, how: string): void {
    if (this.#stopping) return;
    const failures = this.#failures.get(number) ?? 0;
    const pause_ms = failures === 0 ? 0 : Math.min(longestPause, 250 * 2 ** failures);
    this.#options.log.error({ worker: number, pause_ms }, `Worker ${number} ${how}. The server replaces it.`);
    setTimeout(() => {
      if (this.#stopping) return;
      this.#spawn(number).then(
        () => this.#failures.delete(number),
        (error: Error) => {
          this.#failures.set(number, failures + 1);
          this.#options.log.error({ err: error, worker: number }, 'A worker cannot start.');
        },
      );
      this.#supervise(number);
    }, pause_ms);
  }

  #measure(number: number, worker: ChildProcess): Promise<void> {
    return new Promise((resolve) => {
      const timeout = setTimeout(resolve, measureMs);
      const before = this.#pendingMetrics.get(number);
      this.#pendingMetrics.set(number, () => {
        before?.();
        clearTimeout(timeout);
        resolve();
      });
      if (!before) send(worker, { do: 'measure' });
    });
  }

  #received(number: number, families: readonly Family[]): void {
    this.#lastMetrics.set(number, families);
    this.#pendingMetrics.get(number)?.();
    this.#pendingMetrics.delete(number);
  }
}

function send(worker: ChildProcess, message: ToWorker): void {
  // A worker that is about to end receives no more messages.
  if (worker.connected) worker.send(message, () => undefined);
}

function sendConnection(worker: ChildProcess, message: ToWorker, socket: Socket, failed: (loss: Loss) => void): void {
  if (!worker.connected) return failed('worker');
  worker.send(message, socket, { keepOpen: true }, (error) => {
    if (error) failed(worker.connected && (error as NodeJS.ErrnoException).code === 'EBADF' ? 'connection' : 'worker');
  });
}
