import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Log } from '../../core/contract/log.ts';
import type { Checked } from '../../core/model/health.ts';
import { callMemory, readTracking } from './diagnosis/shared-call-tracking.ts';
import { StoppedThreads } from './diagnosis/stopped-threads.ts';
import { threadStack } from './diagnosis/thread-stack.ts';
import type { LoopHandle } from './loop-handle.ts';
import { carriedOn, type Family } from '../metrics/family.ts';
import type { FromLoop, LoopThreadData, ToLoop } from './loop-messages.ts';

export interface LoopThreadOptions {
  readonly data: Omit<LoopThreadData, 'marks' | 'quarantine' | 'stopped'>;
  readonly log: Log;
  looked(request_ids: readonly string[], at: number): void;
  /** Between two pings; a thread that misses six in a row is replaced. Default 5 seconds. */
  readonly ping_ms?: number;
  /** How long who hung the thread is left alone the first time. Default a minute. */
  readonly quarantine_ms?: number;
  /** Megabytes that the thread may keep. Default: as much as Node gives a thread. */
  readonly heap_mb?: number;
  /** The body of the thread. Default: the loop. */
  readonly file?: URL;
}

/** Counted in pings, not by a clock, so that a process that was suspended does not blame its thread. */
const missesAllowed = 6;
/** One that starts may have a database to bring up to date. */
const missesAtStart = 24;
const stopMs = 12_000;
const longestPause = 30_000;
/** A thread that hangs in code that can be stopped is stopped in a few hundredths of a second. */
const stackMs = 1_500;
/** Who asks something waits no longer for a thread that is busy. */
const measureMs = 1_000;
/** The loop itself waits for a provider for 20 seconds at most. */
const checkMs = 25_000;
/**
 * Loading fills the young generation once, and the default of 48 would keep the room for it for ever. With 6, answers about
 * 10 000 machines block the thread longer: they live long enough to be moved again and again.
 */
const youngMb = 16;

/**
 * The loop in a worker thread. A thread that crashes or hangs is replaced; its claims are free for the next one, whose owner is newer. Before a thread that
 * hangs is ended it is seen whose code it hangs in: the next one leaves that instance alone for a while, so that the others go on.
 */
export class LoopThread implements LoopHandle {
  readonly where = 'thread';
  readonly #options: LoopThreadOptions;
  readonly #pings: NodeJS.Timeout;
  readonly #stops: StoppedThreads;
  #worker: Worker | undefined;
  #marks = callMemory();
  #names: readonly string[] = [];
  #thread = 0;
  /** Being looked at before it is ended. */
  #replacing: Worker | undefined;
  #ready = false;
  #misses = 0;
  #failures = 0;
  #trouble: string | undefined = 'The loop is starting.';
  /** What a loop that answers says of itself. */
  #hindered: string | undefined;
  #stopped: Promise<void> | undefined;
  /** What threads before this one had counted, and what this one last said. */
  #counted: readonly Family[] = [];
  #last: readonly Family[] = [];
  readonly #asking: (() => void)[] = [];
  readonly #listening: (() => void)[] = [];
  /** Who waits for an instance that is being asked. */
  readonly #checking = new Map<number, (checked?: Checked) => void>();
  #checks = 0;

  constructor(options: LoopThreadOptions) {
    this.#options = options;
    this.#stops = new StoppedThreads(options.log, options.quarantine_ms);
    this.#pings = setInterval(() => this.#ping(), options.ping_ms ?? 5_000);
    this.#pings.unref();
    this.#start();
  }

  async trouble(): Promise<string | undefined> {
    // What it said last may be over since.
    if (this.#ready && this.#hindered !== undefined) await this.#answer(this.#listening, { do: 'ping' });
    return this.#trouble ?? this.#hindered;
  }

  look(request_ids: readonly string[]): void {
    if (this.#ready) this.#send({ do: 'look', request_ids });
  }

  check(instance: string): Promise<Checked | undefined> {
    if (!this.#ready) return Promise.resolve(undefined);
    const id = this.#checks++;
    return new Promise((resolve) => {
      const late = setTimeout(() => this.#checked(id), checkMs);
      this.#checking.set(id, (checked) => {
        clearTimeout(late);
        resolve(checked);
      });
      this.#send({ do: 'check', id, instance });
    });
  }

  async measures(): Promise<readonly Family[]> {
    if (this.#ready) await this.#answer(this.#asking, { do: 'measure' });
    return [...this.#counted, ...this.#last];
  }

  stop(): Promise<void> {
    return (this.#stopped ??= this.#stop());
  }

  /** Asks, and waits for the answer, but no longer than a moment. */
  #answer(waiting: (() => void)[], question: ToLoop): Promise<void> {
    return new Promise((resolve) => {
      const late = setTimeout(resolve, measureMs);
      waiting.push(() => {
        clearTimeout(late);
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
    this.#marks = callMemory();
    this.#names = [];
    const owner = { ...data.owner, thread: this.#thread };
    const worker = new Worker(file, {
      workerData: { ...data, owner, marks: this.#marks, ...this.#stops.charges } satisfies LoopThreadData,
      resourceLimits: { maxYoungGenerationSizeMb: youngMb, ...(heap_mb === undefined ? {} : { maxOldGenerationSizeMb: heap_mb }) },
    });
    this.#worker = worker;
    let cause: unknown;
    worker.on('message', (message: FromLoop) => this.#hear(message));
    worker.on('error', (error) => (cause = error));
    worker.on('exit', () => this.#gone(worker, cause));
  }

  #hear(message: FromLoop): void {
    if (message.told === 'log') return this.#options.log[message.line.level](message.line.fields, message.line.message);
    this.#misses = 0;
    if (message.told === 'measured') return this.#measured(message.families);
    if (message.told === 'names') this.#names = message.names;
    if (message.told === 'looked') return this.#options.looked(message.request_ids, message.at);
    if (message.told === 'checked') return this.#checked(message.id, message.checked);
    if (message.told === 'pong') {
      [this.#failures, this.#hindered] = [0, message.trouble];
      for (const tell of this.#listening.splice(0)) tell();
    }
    if (message.told === 'ready') {
      this.#ready = true;
      this.#stops.stored();
    }
    if (this.#ready) this.#trouble = undefined;
  }

  #measured(families: readonly Family[]): void {
    this.#last = families;
    for (const tell of this.#asking.splice(0)) tell();
  }

  #checked(id: number, checked?: Checked): void {
    this.#checking.get(id)?.(checked);
    this.#checking.delete(id);
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

  /** Sees whose code it hangs in, and ends it; its exit starts the next one. */
  async #replace(worker: Worker): Promise<void> {
    if (this.#replacing === worker) return;
    this.#replacing = worker;
    try {
      this.#stops.hung(this.#thread, await threadStack(worker.threadId, stackMs), readTracking(this.#marks, this.#names));
    } catch (error) {
      this.#options.log.warn({ err: error, thread: this.#thread }, 'It could not be seen where the loop thread hangs.');
    }
    await worker.terminate();
  }

  #gone(worker: Worker, cause: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#hindered = undefined;
    this.#counted = carriedOn(this.#counted, this.#last);
    this.#measured([]);
    for (const id of this.#checking.keys()) this.#checked(id);
    if (this.#stopped) return;
    if (this.#replacing !== worker) this.#stops.ended(readTracking(this.#marks, this.#names));
    const pause = this.#failures === 0 ? 0 : Math.min(longestPause, 250 * 2 ** this.#failures);
    this.#failures += 1;
    const trouble =
      cause instanceof Error ? `The loop thread failed: ${cause.message}` : (this.#trouble ?? 'The loop thread ended by itself.');
    this.#trouble = trouble;
    this.#options.log.error({ err: cause, thread: this.#thread, pause_ms: pause }, `${trouble} It is replaced.`);
    setTimeout(() => {
      if (!this.#stopped) this.#start();
    }, pause).unref();
  }

  async #stop(): Promise<void> {
    clearInterval(this.#pings);
    const worker = this.#worker;
    this.#trouble = 'The loop is stopped.';
    if (!worker) return;
    const exited = new Promise<void>((resolve) => void worker.once('exit', () => resolve()));
    this.#send({ do: 'stop' });
    const timer = setTimeout(() => {
      this.#options.log.warn({ thread: this.#thread }, 'The loop thread does not stop; it is ended. Its claims are free at once.');
      void worker.terminate();
    }, stopMs);
    await exited;
    clearTimeout(timer);
  }

  #send(message: ToLoop): void {
    this.#worker?.postMessage(message);
  }
}
