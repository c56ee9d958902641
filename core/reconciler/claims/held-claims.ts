import type { Clock } from '../../contract/clock.ts';
import type { Log } from '../../contract/log.ts';
import type { Claim, Store } from '../../contract/storage.ts';
import type { BrokerRecord } from '../../model/broker.ts';
import { ClockShifts } from '../clock-shift/clock-shifts.ts';
import type { Settings } from '../settings.ts';
import type { HeldState, RequestState } from '../state/request-state.ts';
import { ClaimedRequest, type Validity } from './claimed-request.ts';
import { loadStates } from './load-states.ts';
import type { StorageTrouble } from './storage-trouble.ts';

/** The most claims of one call. */
const claimsAtOnce = 200;

export interface HeldClaimsParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** The present record of this broker. */
  readonly broker: () => BrokerRecord;
  readonly settings: Settings;
  readonly trouble: StorageTrouble;
  /** The lease was renewed with this record, beside these brokers. */
  renewed(record: BrokerRecord, live: readonly BrokerRecord[]): void;
  /** Whether a release that the last holder sent may undo a newer one when it arrives late. */
  lateReleaseHarms(loaded: RequestState): boolean;
}

/** The claims of this process: takes, renews, yields and loses them. */
export class HeldClaims {
  readonly #parts: HeldClaimsParts;
  readonly #held = new Map<string, ClaimedRequest>();
  /** Requests that are being yielded now. */
  readonly #yielding = new Set<string>();
  readonly #shifts: ClockShifts;
  #renewed_at = -Infinity;
  /** What the stored record of this broker tells of what it can serve. */
  #told = '';
  /** The next claim may find requests: the store changed, the last call found its maximum, or a claim was lost. */
  due = true;

  constructor(parts: HeldClaimsParts) {
    this.#parts = parts;
    this.#shifts = new ClockShifts(parts);
  }

  all(): ReadonlyMap<string, ClaimedRequest> {
    return this.#held;
  }

  has(claimed: ClaimedRequest): boolean {
    return this.#held.get(claimed.request_id) === claimed;
  }

  /** Moves the times of held requests when the clock was set. */
  compareClocks(): void {
    this.#shifts.compare(this.#held.values());
  }

  async claim(): Promise<void> {
    const { store, broker, settings } = this.#parts;
    this.due = false;
    // The lease counts from before the call, because the call may take long and the store counts from its own time.
    const before = this.#validity();
    const claims = await store.claim(broker(), claimsAtOnce, settings.lease_ms);
    if (claims.length === 0) return;
    if (claims.length === claimsAtOnce) this.due = true;
    await this.#take(claims, before);
  }

  /**
   * Renews the lease of this broker, and with it all claims, when that is due, or when this broker has something to
   * tell. Yields requests that other brokers should have.
   */
  async renew(): Promise<void> {
    const { store, clock, broker, settings } = this.#parts;
    const renewedAt = clock.monotonic();
    const record = broker();
    const tells = newsOf(record);
    if (renewedAt - this.#renewed_at <= settings.lease_ms / 4 && tells === this.#told) return;
    const validUntil = this.#validity();
    const { claims: held, surplus, live } = await store.renew(record, settings.lease_ms);
    this.#renewed_at = renewedAt;
    this.#told = tells;
    this.#parts.renewed(record, live);
    const epochs = new Map(held.map((claim) => [claim.request_id, claim.epoch]));
    for (const claimed of this.#held.values()) {
      if (epochs.get(claimed.request_id) === claimed.claim.epoch) claimed.renewed(validUntil);
      else this.lost(claimed);
    }
    // Claims that the store assigns to this process and that are not held here: no other process would get them while
    // this one renews. As after a crash, the outcome of their calls is in doubt.
    const forgotten = held.filter(({ request_id }) => !this.#held.has(request_id) && !this.#yielding.has(request_id));
    if (forgotten.length > 0)
      await this.#take(
        forgotten.map((claim) => ({ ...claim, taken_over: true })),
        validUntil,
      );
    for (const id of surplus) await this.#yieldAtRest(id);
  }

  /** Tells the other brokers that this one ends: they take its share. */
  async drain(): Promise<void> {
    const { store, broker, settings } = this.#parts;
    await store.renew({ ...broker(), draining: true }, settings.lease_ms);
  }

  /** Ends the lease of this broker, after its claims were yielded. */
  async leave(): Promise<void> {
    await this.#parts.store.leave(this.#parts.broker());
  }

  /** Yields a request to other brokers unless something is under way; then it is asked for again. */
  async #yieldAtRest(request_id: string): Promise<void> {
    this.compareClocks();
    const claimed = this.#held.get(request_id);
    if (!claimed || claimed.busy || claimed.lost || !claimed.canYield) return;
    if (claimed.pending_shift !== 0 || claimed.new_signals.size > 0) return;
    await this.yield(claimed);
  }

  /** Yields a request without calls in flight and without work that is due soon. */
  async yield(claimed: ClaimedRequest): Promise<void> {
    this.#held.delete(claimed.request_id);
    claimed.end();
    this.#yielding.add(claimed.request_id);
    try {
      await this.#parts.store.yield([claimed.claim]);
    } finally {
      this.#yielding.delete(claimed.request_id);
    }
  }

  /** Ends all claims and yields those without calls in flight, of which everything is stored. */
  async yieldAll(): Promise<void> {
    const atRest = [...this.#held.values()].filter((claimed) => !claimed.busy && !claimed.lost && claimed.canYield);
    for (const claimed of this.#held.values()) claimed.end();
    this.#held.clear();
    await this.#parts.store
      .yield(atRest.map((claimed) => claimed.claim))
      .catch((error: unknown) =>
        this.#parts.log.warn({ err: error }, 'Claims could not be yielded; they end with their lease.'),
      );
  }

  /** The claim was lost to another holder. */
  lost(claimed: ClaimedRequest): void {
    this.forget(claimed);
    // When the storage accepts no renewal, all claims are lost at once, and the cause is already logged.
    const level = this.#parts.trouble.message === undefined ? 'warn' : 'debug';
    this.#parts.log[level](
      { request_id: claimed.request_id },
      'The claim on a request was lost; its new holder continues the work.',
    );
    this.due = true;
  }

  /** The request is held no longer; this process loads it again if the claim is still its own. */
  forget(claimed: ClaimedRequest): void {
    this.compareClocks();
    // Only the first call for an ended claim knows the remaining shift.
    const isFirst = this.has(claimed);
    if (isFirst) this.#shifts.leave(claimed);
    claimed.end();
    this.#parts.trouble.over(claimed);
    if (isFirst) this.#held.delete(claimed.request_id);
  }

  async #take(claims: readonly Claim[], validUntil: Validity): Promise<void> {
    const states = await loadStates(this.#parts.store, claims).catch((error: unknown) => error);
    // A shift of the clock during the load is noticed before the requests join the others.
    this.compareClocks();
    for (const claim of claims) {
      // A claim that ended unnoticed may be given to the same process again.
      const earlier = this.#held.get(claim.request_id);
      if (earlier) this.lost(earlier);
      if (!(states instanceof Map)) {
        this.#shifts.notLoaded(claim);
        continue;
      }
      const loaded = states.get(claim.request_id);
      if (loaded) this.#held.set(claim.request_id, this.#claimed(loaded, claim, validUntil));
    }
    if (!(states instanceof Map)) throw states;
  }

  /** Until when a claim that is requested now is certainly held. */
  #validity(): Validity {
    const { clock, settings } = this.#parts;
    const half = settings.lease_ms / 2;
    return { monotonic: clock.monotonic() + half, wall: clock.now() + half };
  }

  /**
   * A request with its new holder. When the last holder did not yield, its release with an older target may still be
   * in flight. Where that is harmful, the present target is sent again after some time. The first commit stores it.
   */
  #claimed(loaded: HeldState, claim: Claim, validUntil: Validity): ClaimedRequest {
    const { clock, settings } = this.#parts;
    const shift = this.#shifts.missedBy(claim, loaded.request);
    const repeat = claim.taken_over && this.#parts.lateReleaseHarms(loaded);
    const state = { ...loaded, request: { ...loaded.request, epoch: claim.epoch } };
    const claimed = new ClaimedRequest(state, claim, clock, validUntil, shift);
    claimed.load = {
      taken_over: claim.taken_over,
      repeat_release_ms: repeat ? settings.repeat_release_ms : undefined,
    };
    return claimed;
  }
}

/** What other brokers should know at once. */
const newsOf = ({ serves, template_files }: BrokerRecord): string =>
  JSON.stringify([
    serves.map(({ name, identity, unhealthy, share }) => [name, identity, unhealthy, share]),
    template_files,
  ]);
