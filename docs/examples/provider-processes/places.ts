import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { createOnce, readOnce } from './create-once.ts';
import type { Slot } from './runner.ts';
import { startOf } from './start-of.ts';

/** An admitted order: how many processes it may have, decided once. */
export interface Order {
  readonly token: string;
  readonly granted: number;
  /** The folder with the records of its processes. */
  readonly folder: string;
}

/** The state of one process. */
export type ProcessState =
  | { readonly is: 'coming' | 'gone'; readonly at?: string }
  | { readonly is: 'failed'; readonly at: string; readonly failed: string }
  | { readonly is: 'running' | 'ending'; readonly at: string; readonly pid: number };

/**
 * The records of the processes, in files, so that they outlive every broker: `orders/<token>/order.json`, and for the
 * process `n` the files `n.slot` (its identity), `n.released` (it shall end), `n.signaled` (SIGTERM was sent),
 * `n.over` (it has ended) and `n.log` (its output). The folder moves to `ended` when all processes of the order have
 * ended.
 */
export class Places {
  readonly #orders: string;
  readonly #ended: string;
  readonly #lock: DatabaseSync;
  readonly #most: number;

  constructor(directory: string, lock: DatabaseSync, most: number) {
    this.#orders = join(directory, 'orders');
    this.#ended = join(directory, 'ended');
    this.#lock = lock;
    this.#most = most;
    for (const folder of [this.#orders, this.#ended]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /**
   * Admits an order with as many processes as there are free slots. The same token always gets the same answer, also
   * from another process.
   */
  grant(token: string, wanted: number): Order {
    const known = this.order(token);
    if (known) return known;
    // One of the processes that share the directory executes this at a time; one that is killed leaves no lock.
    this.#lock.exec('BEGIN IMMEDIATE');
    try {
      const folder = join(this.#orders, token);
      const granted = Math.max(0, Math.min(wanted, this.#most - this.#taken()));
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      createOnce(join(folder, 'order.json'), { granted });
      return this.order(token) ?? { token, granted, folder };
    } finally {
      this.#lock.exec('ROLLBACK');
    }
  }

  /** Undefined: the order was not admitted, or was forgotten after its end. */
  order(token: string): Order | undefined {
    for (const folder of [join(this.#orders, token), join(this.#ended, token)]) {
      const order = readOnce<{ granted: number }>(join(folder, 'order.json'));
      if (order) return { token, granted: order.granted, folder };
    }
    return undefined;
  }

  /** Moves an order whose processes have all ended out of `orders`. A late runner finds no folder for its slot. */
  end({ token, folder }: Order, now: number): void {
    if (folder !== join(this.#orders, token)) return;
    renameSync(folder, join(this.#ended, token));
    utimesSync(join(this.#ended, token), now / 1000, now / 1000);
  }

  /** Removes the records, logs and tokens of the orders that ended before this time (epoch milliseconds). */
  forget(before: number): void {
    for (const token of readdirSync(this.#ended)) {
      const folder = join(this.#ended, token);
      if (statSync(folder).mtimeMs < before) rmSync(folder, { recursive: true, force: true });
    }
  }

  #taken(): number {
    const orders = readdirSync(this.#orders).flatMap((token) => this.order(token) ?? []);
    return orders.reduce((sum, order) => sum + numbersOf(order).filter((n) => !isOver(stateOf(order, n))).length, 0);
  }
}

export const numbersOf = ({ granted }: Order): readonly number[] =>
  Array.from({ length: granted }, (_, index) => index + 1);

export const fileOf = (
  { folder }: Order,
  n: number,
  what: 'slot' | 'released' | 'signaled' | 'over' | 'log',
): string => join(folder, `${n}.${what}`);

export function stateOf(order: Order, n: number): ProcessState {
  const released = existsSync(fileOf(order, n, 'released'));
  const slot = readOnce<Slot>(fileOf(order, n, 'slot'));
  if (slot === undefined) return { is: released ? 'gone' : 'coming' };
  if ('failed' in slot) return released ? { is: 'gone' } : { is: 'failed', at: slot.at, failed: slot.failed };
  const { at, pid } = slot;
  if (startOf(pid) !== slot.start) return { is: 'gone', at };
  return { is: released ? 'ending' : 'running', at, pid };
}

export const isOver = ({ is }: ProcessState): boolean => is === 'gone' || is === 'failed';
