import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { createOnce, readOnce } from './create-once.ts';
import type { Slot } from './runner.ts';
import { startOf } from './start-of.ts';

/** An order that was let in: how many processes it may have, decided once. */
export interface Order {
  readonly token: string;
  readonly granted: number;
  /** The folder with what is known of its processes. */
  readonly folder: string;
}

/** How one process stands. */
export type Standing =
  | { readonly is: 'coming' | 'gone'; readonly at?: string }
  | { readonly is: 'failed'; readonly at: string; readonly failed: string }
  | { readonly is: 'running' | 'ending'; readonly at: string; readonly pid: number };

/**
 * What is known of processes, in files, so that it outlives everybody: `orders/<token>/order.json`, and beside it for
 * the process `n` the files `n.slot` (who it is), `n.released` (it shall go), `n.told` (it was asked to), `n.over` (it
 * did) and `n.log`. Once all of them are gone the folder moves to `ended`. /
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
   * Lets an order in with as many processes as there is room for. The same token gets the same answer, whenever and by
   * whomever it is asked.
   */
  grant(token: string, wanted: number): Order {
    const known = this.order(token);
    if (known) return known;
    // Of all processes that share the directory one is in here at a time, and one that is killed leaves no lock
    // behind.
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

  /** Undefined: nobody let it in, or it ended long ago. */
  order(token: string): Order | undefined {
    for (const folder of [join(this.#orders, token), join(this.#ended, token)]) {
      const order = readOnce<{ granted: number }>(join(folder, 'order.json'));
      if (order) return { token, granted: order.granted, folder };
    }
    return undefined;
  }

  /** Takes an order off the list whose processes are all gone. A runner that comes late finds no place any more. */
  end({ token, folder }: Order, now: number): void {
    if (folder !== join(this.#orders, token)) return;
    renameSync(folder, join(this.#ended, token));
    utimesSync(join(this.#ended, token), now / 1000, now / 1000);
  }

  /** Forgets what ended before then: its logs, and that its tokens were ever used. */
  forget(before: number): void {
    for (const token of readdirSync(this.#ended)) {
      const folder = join(this.#ended, token);
      if (statSync(folder).mtimeMs < before) rmSync(folder, { recursive: true, force: true });
    }
  }

  #taken(): number {
    const orders = readdirSync(this.#orders).flatMap((token) => this.order(token) ?? []);
    return orders.reduce((sum, order) => sum + numbersOf(order).filter((n) => !isOver(standing(order, n))).length, 0);
  }
}

export const numbersOf = ({ granted }: Order): readonly number[] =>
  Array.from({ length: granted }, (_, index) => index + 1);

export const fileOf = ({ folder }: Order, n: number, what: 'slot' | 'released' | 'told' | 'over' | 'log'): string =>
  join(folder, `${n}.${what}`);

export function standing(order: Order, n: number): Standing {
  const released = existsSync(fileOf(order, n, 'released'));
  const slot = readOnce<Slot>(fileOf(order, n, 'slot'));
  if (slot === undefined) return { is: released ? 'gone' : 'coming' };
  if ('failed' in slot) return released ? { is: 'gone' } : { is: 'failed', at: slot.at, failed: slot.failed };
  const { at, pid } = slot;
  if (startOf(pid) !== slot.start) return { is: 'gone', at };
  return { is: released ? 'ending' : 'running', at, pid };
}

export const isOver = ({ is }: Standing): boolean => is === 'gone' || is === 'failed';
