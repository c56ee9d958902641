import type { Clock } from '../../contract/clock.ts';
import type { Claim } from '../../contract/storage.ts';
import { isPast, type Validity } from './claimed-request.ts';

/** The wait after the first failed read of a single request. It doubles up to the longest one. */
const firstWaitMs = 5_000;
const longestWaitMs = 60_000;
/** Storages limit how many values one comparison may list. */
const atOnce = 200;

/** A claim whose request is not in memory yet. */
export interface UnloadedClaim {
  readonly claim: Claim;
  validUntil: Validity;
  /** The request could not be read together with others, and so many times alone. */
  failures?: number;
  /** Monotonic milliseconds: the earliest time of the next read. */
  due_at: number;
}

/** The claims of this process whose requests must still be loaded, in the order of the claims. */
export class UnloadedClaims {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, UnloadedClaim>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether a request can be loaded now. */
  get due(): boolean {
    const now = this.#clock.monotonic();
    for (const { due_at } of this.#waiting.values()) if (due_at <= now) return true;
    return false;
  }

  /** The requests that cannot be read, although others can. */
  get unreadable(): number {
    return [...this.#waiting.values()].filter(({ failures = 0 }) => failures > 0).length;
  }

  all(): Iterable<UnloadedClaim> {
    return this.#waiting.values();
  }

  get(request_id: string): UnloadedClaim | undefined {
    return this.#waiting.get(request_id);
  }

  add(claim: Claim, validUntil: Validity): void {
    this.#waiting.set(claim.request_id, { claim, validUntil, due_at: -Infinity });
  }

  delete(request_id: string): void {
    this.#waiting.delete(request_id);
  }

  clear(): void {
    this.#waiting.clear();
  }

  /** Removes and returns those that are certainly held no longer. */
  ended(): readonly UnloadedClaim[] {
    const ended = [...this.#waiting.values()].filter(({ validUntil }) => isPast(validUntil, this.#clock));
    for (const { claim } of ended) this.#waiting.delete(claim.request_id);
    return ended;
  }

  /** The next ones to load together. A request whose read failed among others is loaded alone. */
  next(): readonly UnloadedClaim[] {
    const now = this.#clock.monotonic();
    const next: UnloadedClaim[] = [];
    for (const each of this.#waiting.values()) {
      if (each.due_at > now) continue;
      if (each.failures !== undefined) {
        if (next.length > 0) break;
        return [each];
      }
      next.push(each);
      if (next.length === atOnce) break;
    }
    return next;
  }

  /** These could not be read together. Returns the one that could not be read alone. */
  failed(read: readonly UnloadedClaim[]): (UnloadedClaim & { readonly failures: number }) | undefined {
    const [first] = read;
    if (first && read.length === 1) {
      const failures = (first.failures ?? 0) + 1;
      first.due_at = this.#clock.monotonic() + Math.min(firstWaitMs * 2 ** (failures - 1), longestWaitMs);
      return Object.assign(first, { failures });
    }
    for (const each of read) each.failures = 0;
    return undefined;
  }
}
