import { randomUUID } from 'node:crypto';
import type { Clock } from '../../contract/clock.ts';
import type { FactRecord } from '../../model/records.ts';
import { isDead } from '../../contract/commits/owner.ts';
import type { Owner, Store } from '../../contract/storage.ts';

const topic = 'lease';
const leaseMs = 60_000;

/**
 * A lease for work that only one process on a store does at a time. Stored as a fact with an end. After taking the
 * lease a process reads it again: two processes that took it at the same time both free it. The lease of a
 * process that is known to be dead is free immediately.
 */
export class Lease {
  readonly #name: string;
  readonly #parts: { readonly store: Store; readonly clock: Clock; readonly owner: Owner };
  #mine: { readonly item: string; readonly until: number } | undefined;
  #taking: Promise<boolean> | undefined;

  constructor(name: string, parts: { readonly store: Store; readonly clock: Clock; readonly owner: Owner }) {
    this.#name = name;
    this.#parts = parts;
  }

  /** Takes or keeps the lease for at least `ms`. Returns false when another process holds it. */
  async take(ms: number): Promise<boolean> {
    if (this.#mine && this.#parts.clock.monotonic() + ms < this.#mine.until) return true;
    // Concurrent calls share one attempt.
    this.#taking ??= this.#take().finally(() => (this.#taking = undefined));
    return this.#taking;
  }

  /** Frees the lease for another process. */
  async free(): Promise<void> {
    const mine = this.#mine;
    this.#mine = undefined;
    if (!mine) return;
    // A lease that cannot be freed ends by itself.
    await this.#parts.store.commit([{ op: 'delete', kind: 'fact', key: this.#key(mine.item) }]).catch(() => undefined);
  }

  async #take(): Promise<boolean> {
    const { store, clock } = this.#parts;
    // Counted from the time before the call to the store.
    const until = clock.monotonic() + leaseMs / 2;
    const leases = await store.find('fact', { where: { topic, name: this.#name } });
    const kept = leases.find(({ item }) => item === this.#mine?.item);
    this.#mine = undefined;
    if (kept) {
      await store.commit([{ op: 'put', kind: 'fact', record: this.#record(kept.item) }]);
      this.#mine = { item: kept.item, until };
      return true;
    }
    if (leases.some((each) => this.#holds(each))) return false;
    const item = randomUUID();
    const over = leases.map((each) => ({ op: 'delete', kind: 'fact', key: this.#key(each.item) }) as const);
    await store.commit([{ op: 'insert', kind: 'fact', record: this.#record(item) }, ...over]);
    this.#mine = { item, until };
    const present = await store.find('fact', { where: { topic, name: this.#name } });
    if (present.every((each) => each.item === item)) return true;
    await this.free();
    return false;
  }

  /** A lease whose end is too far in the future does not hold: the clock was set back. */
  #holds({ value, until = 0 }: FactRecord): boolean {
    const left = until - this.#parts.clock.now();
    return left > 0 && left <= leaseMs && !isDead(value as Owner, this.#parts.owner);
  }

  #record(item: string): FactRecord {
    const { clock, owner } = this.#parts;
    const now = clock.now();
    return { ...this.#key(item), value: owner, at: now, until: now + leaseMs };
  }

  #key(item: string) {
    return { topic, name: this.#name, item };
  }
}
