import { threadId } from 'node:worker_threads';
import { threadMemory } from '../../../core/index.ts';

/** Cells: the number of finished transactions, the slot that finished the last one, and one for each slot. */
const finished = 0;
const last = 1;
const firstSlot = 2;
/** Threads with an equal remainder share a slot; then they do not give way to each other. */
const slots = 16;
const bytes = (firstSlot + slots) * Int32Array.BYTES_PER_ELEMENT;

/** A thread that wants to write for longer than this has probably ended. */
const staleMs = 1_000;

/**
 * The turns of the threads of this process at the write lock of one database. SQLite's lock has no queue: the thread
 * that has just committed usually takes it again before another one tries. With turns, a thread that has written gives
 * way to a thread that waits, and a thread that waits is told of each end of a transaction. Turns are only advice:
 * SQLite's lock stays the guard, so a thread that ends at any point, or another process, delays nobody for long.
 */
export class WriteTurns {
  readonly #cells: Int32Array<SharedArrayBuffer>;
  readonly #slot: number;

  constructor(cells: SharedArrayBuffer, slot: number) {
    this.#cells = new Int32Array(cells);
    this.#slot = firstSlot + (slot % slots);
  }

  /**
   * The turns at the database with this path. Threads share them when the thread that starts another one has opened
   * the database before.
   */
  static at(path: string): WriteTurns {
    return new WriteTurns(threadMemory(`muster turns at ${path}`, bytes), threadId);
  }

  static cells(): SharedArrayBuffer {
    return new SharedArrayBuffer(bytes);
  }

  /** How many transactions have finished. */
  get finished(): number {
    return Atomics.load(this.#cells, finished);
  }

  /** This thread waits for the lock, or has it. */
  begin(): void {
    Atomics.store(this.#cells, this.#slot, nowMs());
  }

  /** This thread has ended its transaction or gave up. */
  end(): void {
    Atomics.store(this.#cells, this.#slot, 0);
    Atomics.store(this.#cells, last, this.#slot);
    Atomics.add(this.#cells, finished, 1);
    Atomics.notify(this.#cells, finished);
  }

  /** Whether another thread waits for the lock, or has it. */
  get contended(): boolean {
    const now = nowMs();
    for (let slot = firstSlot; slot < firstSlot + slots; slot += 1) {
      if (slot === this.#slot) continue;
      const since = Atomics.load(this.#cells, slot);
      if (since !== 0 && now - since < staleMs) return true;
    }
    return false;
  }

  /** Whether the next turn belongs to another thread: it waits, and this thread had the last one. */
  get isOthers(): boolean {
    return Atomics.load(this.#cells, last) === this.#slot && this.contended;
  }

  /** Resolves when a transaction has finished since `seen` was read from `finished`, or after `ms` milliseconds. */
  next(seen: number, ms: number): Promise<void> {
    const { value } = Atomics.waitAsync(this.#cells, finished, seen, ms);
    if (typeof value === 'string') return Promise.resolve();
    // A pending waitAsync does not keep the event loop running, a timer does.
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    void value.then(() => {
      clearTimeout(timer);
      resolve();
    });
    return promise;
  }
}

/** A clock that all threads share; never 0. */
const nowMs = (): number => (Number(process.hrtime.bigint() / 1_000_000n) & 0x7fff_ffff) | 1;
