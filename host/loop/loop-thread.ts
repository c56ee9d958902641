import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Budget } from '../../core/budgets/budget.ts';
import type { Log } from '../../core/contract/log.ts';
import type { FileHashes } from '../../core/templates/library.ts';
import type { CallTiming, InstanceState } from '../../core/providers/provider-activity.ts';
import type { DiscoverResult } from '../../core/providers/discover-now.ts';
import type { Checked } from '../../core/model/health.ts';
import { callMemory, readTracking } from './diagnosis/shared-call-tracking.ts';
import { StoppedThreads } from './diagnosis/stopped-threads.ts';
import { threadStack } from './diagnosis/thread-stack.ts';
import type { LoopHandle } from './loop-handle.ts';
import { accumulate, type Family } from '../metrics/family.ts';
import { limitsOfLoop } from '../process/thread-limits.ts';
import type { SpanBatch } from '../telemetry/batch/span-batch.ts';
import type { FromLoop, LoopAnswer, LoopQuestion, LoopThreadData, ToLoop } from './loop-messages.ts';

export interface LoopThreadOptions {
  readonly data: Omit<LoopThreadData, 'call_memory' | 'quarantine' | 'stopped'>;
  readonly log: Log;
  refreshed(request_ids: readonly string[], at: number): void;
  /** Hides the secrets of the configuration in what made the thread fail. Default: there are none. */
  readonly mask?: (text: string) => string;
  /** Takes the spans of the thread. */
  spans?(batch: SpanBatch): void;
  /** Milliseconds between two pings; a thread that misses six in a row is replaced. Default 5 seconds. */
  readonly ping_ms?: number;
  /** Milliseconds of the first quarantine of a name that stopped the thread. Default: one minute. */
  readonly quarantine_ms?: number;
  /** Maximum size of the old generation of the thread's heap in megabytes. Default: that of Node. */
  readonly heap_mb?: number;
  /** Reads the stack of a hanging thread. Default: as a debugger does. */
  readonly readStack?: typeof threadStack;
  /** The module that the thread runs. Default: the loop. */
  readonly file?: URL;
}

/**
 * Number of missed pings after which the thread is replaced. Counted in pings, not by a clock, so that a suspended
 * process does not replace its thread.
 */
const missesAllowed = 6;
/** The same for a starting thread, which may migrate a database. */
const missesAtStart = 24;
const stopMs = 12_000;
const longestPause = 30_000;
/** Milliseconds to wait for the stack: a thread in JavaScript code pauses within a few hundredths of a second. */
const stackMs = 1_500;
/** Milliseconds to wait for an answer of a busy thread. */
const measureMs = 1_000;
/** Milliseconds to wait for a check or a discovery: the loop waits for a provider for at most 20 seconds. */
const checkMs = 25_000;

/**
 * The reconciler loop in a worker thread. Replaces a thread that crashes or hangs; the next thread takes over its
 * leases, since its owner is newer. Before it ends a hanging thread it determines whose code hangs; the next thread
 * does not call that instance for some time, so that the other instances continue.
 */
export class LoopThread implements LoopHandle {
  readonly where = 'thread';
  readonly #options: LoopThreadOptions;
  readonly #pings: NodeJS.Timeout;
  readonly #stops: StoppedThreads;
  #worker: Worker | undefined;
  #memory = callMemory();
  #names: readonly string[] = [];
  #thread = 0;
  /** The template files that were described since the start. */
  #template_files: FileHashes | undefined;
  /** The budgets that replaced those of the configuration. */
  #budgets: readonly Budget[] | undefined;
  /** The hanging thread whose stack is being read. */
  #replacing: Worker | undefined;
  /** The last thread that was charged for its hang. */
  #charged: Worker | undefined;
  #ready = false;
  #misses = 0;
  #failures = 0;
  #trouble: string | undefined = 'The loop is starting.';
  /** The trouble that a responsive loop reports. */
  #reported: string | undefined;
  #stopped: Promise<void> | undefined;
  /** The metrics of ended threads, and the last metrics of the current one. */
  #counted: readonly Family[] = [];
  #last: readonly Family[] = [];
  readonly #waitingForMetrics: (() => void)[] = [];
  readonly #waitingForPong: (() => void)[] = [];
  /** The callers that wait for an answer of the thread. */
  readonly #asking = new Map<number, (answer?: LoopAnswer) => void>();
  #questions = 0;

  constructor(options: LoopThreadOptions) {
    this.#options = options;
    this.#stops = new StoppedThreads(options.log, options.quarantine_ms);
    this.#pings = setInterval(() => this.#ping(), options.ping_ms ?? 5_000);
    this.#pings.unref();
    this.#start();
  }

  async trouble(): Promise<string | undefined> {
    // The reported trouble may be over: ask again.
    if (this.#ready && this.#reported !== undefined) await this.#answer(this.#waitingForPong, { do: 'ping' });
    return this.#trouble ?? this.#reported;
  }

  refresh(request_ids: readonly string[]): void {
    if (this.#ready) this.#send({ do: 'refresh', request_ids });
  }

  useBudgets(budgets: readonly Budget[]): void {
    this.#budgets = budgets;
    // A thread that starts handles the message after its start.
    this.#send({ do: 'budgets', budgets });
  }

  describe(template_files: FileHashes): void {
    this.#template_files = template_files;
    if (this.#ready) this.#send({ do: 'describe', template_files });
  }

  check(instance: string): Promise<Checked | undefined> {
    return this.#ask<Checked>({ ask: 'check', instance }, checkMs);
  }

  discover(instance: string): Promise<DiscoverResult | undefined> {
    return this.#ask<DiscoverResult>({ ask: 'discover', instance }, checkMs);
  }

  calls(): Promise<readonly CallTiming[] | undefined> {
    return this.#ask<readonly CallTiming[]>({ ask: 'calls' }, measureMs);
  }

  states(): Promise<readonly InstanceState[] | undefined> {
    return this.#ask<readonly InstanceState[]>({ ask: 'states' }, measureMs);
  }

  /** Asks the thread; undefined when it does not answer in time. */
  #ask<A extends LoopAnswer>(question: LoopQuestion, ms: number): Promise<A | undefined> {
    if (!this.#ready) return Promise.resolve(undefined);
    const id = this.#questions++;
    return new Promise((resolve) => {
      const timeout = setTimeout(() => this.#answered(id), ms);
      this.#asking.set(id, (answer) => {
        clearTimeout(timeout);
        resolve(answer as A | undefined);
      });
      this.#send({ do: 'answer', id, question });
    });
  }

  async measures(): Promise<readonly Family[]> {
    if (this.#ready) await this.#answer(this.#waitingForMetrics, { do: 'measure' });
    return [...this.#counted, ...this.#last];
  }

  stop(): Promise<void> {
    return (this.#stopped ??= this.#stop());
  }

  /** Sends a question and waits for its answer, at most `measureMs`. */
  #answer(waiting: (() => void)[], question: ToLoop): Promise<void> {
    return new Promise((resolve) => {
      const timeout = setTimeout(resolve, measureMs);
      waiting.push(() => {
        clearTimeout(timeout);
        resolve();
      });
      if (waiting.length === 1) this.#send(question);
    });
  }

  #start(): void {
    const { data, heap_mb } = this.#options;
    this.#thread += 1;
    this.#ready = false;
    this.#misses = 0;
    const file = this.#options.file ?? new URL(`./loop-worker${extname(import.meta.url)}`, import.meta.url);
    this.#memory = callMemory();
    this.#names = [];
    const template_files = this.#template_files;
    const broker = { ...data.broker, thread: this.#thread, ...(template_files ? { template_files } : {}) };
    const budgets = this.#budgets ? { budgets: this.#budgets } : {};
    const worker = new Worker(file, {
      workerData: {
        ...data,
        ...budgets,
        broker,
        call_memory: this.#memory,
        ...this.#stops.charges,
      } satisfies LoopThreadData,
      resourceLimits: {
        ...limitsOfLoop(),
        ...(heap_mb === undefined ? {} : { maxOldGenerationSizeMb: heap_mb }),
      },
    });
    this.#worker = worker;
    let cause: unknown;
    worker.on('message', (message: FromLoop) => this.#handle(message));
    worker.on('error', (error) => (cause = error));
    worker.on('exit', () => this.#exited(worker, cause));
  }

  #handle(message: FromLoop): void {
    if (message.event === 'log')
      return this.#options.log[message.line.level](message.line.fields, message.line.message);
    if (message.event === 'spans') return this.#options.spans?.(message.batch);
    this.#misses = 0;
    if (message.event === 'measured') return this.#measured(message.families);
    if (message.event === 'names') this.#names = message.names;
    if (message.event === 'refreshed') return this.#options.refreshed(message.request_ids, message.at);
    if (message.event === 'answered') return this.#answered(message.id, message.answer);
    if (message.event === 'pong') {
      [this.#failures, this.#reported] = [0, message.trouble];
      for (const done of this.#waitingForPong.splice(0)) done();
    }
    if (message.event === 'ready') {
      this.#ready = true;
      this.#stops.stored();
    }
    if (this.#ready) this.#trouble = undefined;
  }

  #measured(families: readonly Family[]): void {
    this.#last = families;
    for (const done of this.#waitingForMetrics.splice(0)) done();
  }

  #answered(id: number, answer?: LoopAnswer): void {
    this.#asking.get(id)?.(answer);
    this.#asking.delete(id);
  }

  #ping(): void {
    if (!this.#worker || this.#stopped) return;
    if (this.#misses >= (this.#ready ? missesAllowed : missesAtStart)) {
      this.#trouble = 'The loop thread does not answer.';
      this.#misses = 0;
      void this.#replace(this.#worker);
      return;
    }
    this.#misses += 1;
    this.#send({ do: 'ping' });
  }

  /**
   * Determines whose code hangs, and ends the thread; its exit starts the next one. A thread that ends by itself
   * meanwhile, for example because its memory is full, was charged for that before the next one began.
   */
  async #replace(worker: Worker): Promise<void> {
    if (this.#replacing === worker) return;
    this.#replacing = worker;
    try {
      const stack = await (this.#options.readStack ?? threadStack)(worker.threadId, stackMs);
      if (this.#worker !== worker) return;
      this.#stops.hung(this.#thread, stack, readTracking(this.#memory, this.#names));
      this.#charged = worker;
    } catch (error) {
      this.#options.log.warn(
        { err: error, thread: this.#thread },
        'The stack of the hanging loop thread could not be read.',
      );
    }
    await worker.terminate();
  }

  #exited(worker: Worker, cause: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#reported = undefined;
    this.#counted = accumulate(this.#counted, this.#last);
    this.#measured([]);
    for (const id of this.#asking.keys()) this.#answered(id);
    if (this.#stopped) return;
    if (this.#charged !== worker) this.#stops.ended(readTracking(this.#memory, this.#names));
    const { mask = String } = this.#options;
    const pause = this.#failures === 0 ? 0 : Math.min(longestPause, 250 * 2 ** this.#failures);
    this.#failures += 1;
    const trouble =
      cause instanceof Error
        ? `The loop thread failed: ${mask(saidBy(cause))}`
        : (this.#trouble ?? 'The loop thread ended by itself.');
    this.#trouble = trouble;
    this.#options.log.error(
      { err: cause, thread: this.#thread, pause_ms: pause },
      `${trouble} The server replaces it.`,
    );
    setTimeout(() => {
      if (!this.#stopped) this.#start();
    }, pause).unref();
  }

  async #stop(): Promise<void> {
    clearInterval(this.#pings);
    const worker = this.#worker;
    this.#trouble = 'The loop has stopped.';
    if (!worker) return;
    const exited = new Promise<void>((resolve) => void worker.once('exit', () => resolve()));
    this.#send({ do: 'stop' });
    const timer = setTimeout(() => {
      this.#options.log.warn(
        { thread: this.#thread },
        'The loop thread does not stop; the server terminates it. Its leases are free at once.',
      );
      void worker.terminate();
    }, stopMs);
    await exited;
    clearTimeout(timer);
  }

  #send(message: ToLoop): void {
    this.#worker?.postMessage(message);
  }
}

/** A DOMException loses its message on the way from another thread, and keeps its stack. */
const saidBy = ({ message, name, stack }: Error): string => message || stack?.split('\n', 1)[0] || name;
