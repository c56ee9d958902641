import { type Claim, isDead, type Owner } from '../../core/index.ts';
import type { Table } from './table.ts';

interface Lease {
  readonly owner: Owner;
  readonly epoch: number;
  readonly until: number;
}

/** A claim with its owner and the end of its lease. JSON. */
export type HeldClaim = Lease & Pick<Claim, 'request_id'>;

/** A smaller backward step of the clock is ignored. */
const toleranceMs = 1_000;

/**
 * The claims of requests. A claim stays until its holder yields it: when a new holder finds a claim, it was not
 * yielded.
 */
export class Claims {
  readonly #leases = new Map<string, Lease>();
  readonly #requests: Table;
  readonly #signals: Table;
  readonly #now: () => number;
  #last = -Infinity;

  constructor(requests: Table, signals: Table, now: () => number) {
    this.#requests = requests;
    this.#signals = signals;
    this.#now = now;
  }

  claim(owner: Owner, limit: number, lease_ms: number): readonly Claim[] {
    const now = this.#note(lease_ms);
    return this.#due(now)
      .filter(({ id }) => this.#isFree(id, owner, now))
      .slice(0, limit)
      .map(({ id }) => {
        const request = this.#requests.get({ request_id: id }) ?? {};
        const epoch = Number(request['epoch']) + 1;
        const taken_over = this.#leases.has(id);
        this.#requests.set({ ...request, epoch });
        this.#leases.set(id, { owner, epoch, until: now + lease_ms });
        return { request_id: id, epoch, taken_over };
      });
  }

  /** Those of the claims that are still held. */
  held(claims: readonly Pick<Claim, 'request_id' | 'epoch'>[]): readonly HeldClaim[] {
    return claims.flatMap(({ request_id, epoch }) => {
      const held = this.#leases.get(request_id);
      return held?.epoch === epoch ? [{ request_id, ...held }] : [];
    });
  }

  /** Restores claims that were given before a restart. */
  restore(claims: readonly HeldClaim[]): void {
    for (const { request_id, ...held } of claims) {
      const request = this.#requests.get({ request_id });
      if (!request) continue;
      this.#requests.set({ ...request, epoch: held.epoch });
      this.#leases.set(request_id, held);
    }
  }

  renew(owner: Owner, lease_ms: number): readonly Pick<Claim, 'request_id' | 'epoch'>[] {
    const now = this.#note(lease_ms);
    return [...this.#leases]
      .filter(([, held]) => isSame(held.owner, owner) && held.until > now)
      .map(([request_id, held]) => {
        this.#leases.set(request_id, { ...held, until: Math.max(held.until, now + lease_ms) });
        return { request_id, epoch: held.epoch };
      });
  }

  yield(claims: readonly Pick<Claim, 'request_id' | 'epoch'>[]): void {
    for (const { request_id, epoch } of claims)
      if (this.#leases.get(request_id)?.epoch === epoch) this.#leases.delete(request_id);
  }

  /** Removes claims of deleted requests: a request with the same id begins without a holder. */
  forgetDeleted(): void {
    for (const id of this.#leases.keys()) if (!this.#requests.get({ request_id: id })) this.#leases.delete(id);
  }

  /**
   * After the clock was set back since its last reading, all waiting requests are due, and leases end as if they began
   * now.
   */
  #note(lease_ms: number): number {
    const now = this.#now();
    if (now + toleranceMs < this.#last) {
      for (const request of this.#requests.all())
        if (Number(request['next_at'] ?? 0) > now) this.#requests.set({ ...request, next_at: now });
      for (const [id, held] of this.#leases)
        this.#leases.set(id, { ...held, until: Math.min(held.until, now + lease_ms) });
    }
    this.#last = now;
    return now;
  }

  /** Requests that are due by time or by a waiting signal, in the order of their due times. */
  #due(now: number): readonly { readonly id: string; readonly at: number }[] {
    const due = new Map<string, number>();
    for (const { request_id, next_at } of this.#requests.all()) {
      if (typeof next_at === 'number' && next_at <= now) due.set(request_id as string, next_at);
    }
    for (const { request_id, applied, created_at } of this.#signals.all()) {
      if (applied || !this.#requests.get({ request_id })) continue;
      due.set(
        request_id as string,
        Math.min(due.get(request_id as string) ?? Number.POSITIVE_INFINITY, created_at as number),
      );
    }
    return [...due].map(([id, at]) => ({ id, at })).toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
  }

  #isFree(id: string, owner: Owner, now: number): boolean {
    const held = this.#leases.get(id);
    return !held || held.until <= now || isDead(held.owner, owner);
  }
}

const fields = ['host', 'boot', 'pid', 'started', 'thread'] as const;

const isSame = (a: Owner, b: Owner): boolean => fields.every((field) => a[field] === b[field]);
