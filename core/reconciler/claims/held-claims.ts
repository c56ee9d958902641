import type { Clock } from '../../contract/clock.ts';
import type { Log } from '../../contract/log.ts';
import { chunks } from '../../collections/chunks.ts';
import type { Claim, Held, Store } from '../../contract/storage.ts';
import type { BrokerRecord } from '../../model/broker.ts';
import { ClockShifts } from '../clock-shift/clock-shifts.ts';
import type { Settings } from '../settings.ts';
import type { HeldState, RequestState } from '../state/request-state.ts';
import { ClaimedRequest, type Validity } from './claimed-request.ts';
import { loadStates } from './load-states.ts';
import type { StorageTrouble } from './storage-trouble.ts';
import { UnloadedClaims, type UnloadedClaim } from './unloaded-claims.ts';

/** The most claims of one call. */
const claimsAtOnce = 200;
/** The most claims that are yielded in one call. */
const yieldsAtOnce = 1_000;
/** So many failed reads of a single request mean that the request cannot be read, not that the storage is away. */
const unreadableAfter = 3;

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

/** So many lost claims have a line of the log each. */
const mostNamed = 3;

/** The claims of this process: takes, loads, renews, yields and loses them. */
export class HeldClaims {
  readonly #parts: HeldClaimsParts;
  readonly #held = new Map<string, ClaimedRequest>();
  readonly #unloaded: UnloadedClaims;
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
    this.#unloaded = new UnloadedClaims(parts.clock);
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

  /** Whether claimed requests can be loaded now. */
  get loads(): boolean {
    return this.#unloaded.due;
  }

  /** How many requests are left alone because they cannot be read. */
  get unreadable(): number {
    return this.#unloaded.unreadable;
  }

  /** Claims requests, which are loaded by `load`. */
  async claim(): Promise<void> {
    const { store, broker, settings } = this.#parts;
    this.due = false;
    // The lease counts from before the call, because the call may take long and the store counts from its own time.
    const before = this.#validity();
    const claims = await store.claim(broker(), claimsAtOnce, settings.lease_ms);
    if (claims.length === claimsAtOnce) this.due = true;
    for (const claim of claims) this.#toLoad(claim, before);
  }

  /**
   * Loads some of the claimed requests: few enough that the lease can be renewed and other requests continue in
   * between. Rejects when they cannot be read; a request that cannot be read when others can is left alone for a time.
   */
  async load(): Promise<void> {
    for (const { claim } of this.#unloaded.ended()) this.#shifts.notLoaded(claim);
    const next = this.#unloaded.next();
    if (next.length === 0) return;
    const loaded = await loadStates(
      this.#parts.store,
      next.map(({ claim }) => claim),
    ).catch((error: unknown) => this.#notLoaded(next, error));
    if (!loaded) return;
    // A shift of the clock during the load is noticed before the requests join the others.
    this.compareClocks();
    for (const { claim, validUntil } of next.slice(0, loaded.count)) {
      this.#unloaded.delete(claim.request_id);
      const state = loaded.states.get(claim.request_id);
      if (state) this.#held.set(claim.request_id, this.#claimed(state, claim, validUntil));
    }
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
    const lost: ClaimedRequest[] = [];
    for (const claimed of this.#held.values()) {
      if (epochs.get(claimed.request_id) === claimed.claim.epoch) claimed.renewed(validUntil);
      else lost.push(claimed);
    }
    this.#lostTogether(lost);
    for (const each of this.#unloaded.all())
      if (epochs.get(each.claim.request_id) === each.claim.epoch) each.validUntil = validUntil;
      else this.#dropUnloaded(each);
    // Claims that the store assigns to this process and that are not held here: no other process would get them while
    // this one renews. As after a crash, the outcome of their calls is in doubt.
    for (const claim of held) if (!this.#has(claim)) this.#toLoad({ ...claim, taken_over: true }, validUntil);
    await this.#yieldSurplus(new Set(surplus));
  }

  /** Tells the other brokers what the record of this one says now. */
  async tell(): Promise<void> {
    const { store, broker, settings } = this.#parts;
    await store.renew(broker(), settings.lease_ms);
  }

  /** Ends the lease of this broker, after its claims were yielded. */
  async leave(): Promise<void> {
    await this.#parts.store.leave(this.#parts.broker());
  }

  /**
   * Yields the requests that other brokers should have: those at rest now, and the others as soon as their calls have
   * ended.
   */
  async #yieldSurplus(surplus: ReadonlySet<string>): Promise<void> {
    this.compareClocks();
    for (const claimed of this.#held.values()) {
      const isSurplus = surplus.has(claimed.request_id);
      if (isSurplus === claimed.surplus) continue;
      claimed.surplus_since = isSurplus ? this.#parts.clock.monotonic() : undefined;
      if (isSurplus) claimed.recallLaunches();
      claimed.planAgain();
    }
    const held = [...this.#held.values()].filter((claimed) => claimed.surplus && !claimed.busy && claimed.isAtRest);
    const unloaded = [...this.#unloaded.all()].filter(
      ({ claim }) => surplus.has(claim.request_id) && !claim.taken_over,
    );
    for (const part of chunks([...held, ...unloaded], yieldsAtOnce)) await this.#yieldAll(part);
  }

  /** Yields a request without calls in flight and without work that is due soon. */
  async yield(claimed: ClaimedRequest): Promise<void> {
    await this.#yieldAll([claimed]);
  }

  async #yieldAll(all: readonly (ClaimedRequest | UnloadedClaim)[]): Promise<void> {
    const claims = all.map(({ claim }) => claim);
    for (const each of all)
      if (each instanceof ClaimedRequest) {
        this.#held.delete(each.request_id);
        each.end();
      } else this.#dropUnloaded(each);
    for (const { request_id } of claims) this.#yielding.add(request_id);
    try {
      await this.#parts.store.yield(claims);
    } finally {
      for (const { request_id } of claims) this.#yielding.delete(request_id);
    }
  }

  /** Ends all claims and yields those without calls in flight, of which everything is stored. */
  async yieldAll(): Promise<void> {
    const atRest = [...this.#held.values()].filter((claimed) => !claimed.busy && !claimed.lost && claimed.canYield);
    const unloaded = [...this.#unloaded.all()].filter(({ claim }) => !claim.taken_over);
    for (const claimed of this.#held.values()) claimed.end();
    this.#held.clear();
    this.#unloaded.clear();
    await this.#parts.store
      .yield([...atRest, ...unloaded].map(({ claim }) => claim))
      .catch((error: unknown) =>
        this.#parts.log.warn({ err: error }, 'Claims could not be yielded; they end with their lease.'),
      );
  }

  /** Claims that a renewal found lost. A process that was suspended for longer than its lease has lost all. */
  #lostTogether(lost: readonly ClaimedRequest[]): void {
    const isNamedEach = lost.length <= mostNamed;
    for (const claimed of lost) this.lost(claimed, isNamedEach ? 'warn' : 'debug');
    if (isNamedEach || this.#parts.trouble.message !== undefined) return;
    this.#parts.log.warn(
      { claims: lost.length },
      `The claims on ${lost.length} requests were lost, as when this process was suspended for longer than its lease; their new holders continue the work.`,
    );
  }

  /** The claim was lost to another holder. */
  lost(claimed: ClaimedRequest, usual: 'warn' | 'debug' = 'warn'): void {
    this.forget(claimed);
    // When the storage accepts no renewal, all claims are lost at once, and the cause is already logged.
    const level = this.#parts.trouble.message === undefined ? usual : 'debug';
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

  #has({ request_id }: Held): boolean {
    return (
      this.#held.has(request_id) || this.#yielding.has(request_id) || this.#unloaded.get(request_id) !== undefined
    );
  }

  #toLoad(claim: Claim, validUntil: Validity): void {
    // A claim that ended unnoticed may be given to the same process again.
    const earlier = this.#held.get(claim.request_id);
    if (earlier) this.lost(earlier);
    const unloaded = this.#unloaded.get(claim.request_id);
    if (unloaded) this.#dropUnloaded(unloaded);
    this.#unloaded.add(claim, validUntil);
  }

  #dropUnloaded({ claim }: UnloadedClaim): void {
    this.#unloaded.delete(claim.request_id);
    this.#shifts.notLoaded(claim);
  }

  /** A record that cannot be read must not stop the requests beside it. */
  #notLoaded(read: readonly UnloadedClaim[], error: unknown): undefined {
    const alone = this.#unloaded.failed(read);
    if (!alone || alone.failures < unreadableAfter) throw error;
    const { request_id } = alone.claim;
    this.#parts.log.error(
      { err: error, request_id, tries: alone.failures },
      'A request cannot be read from the storage, so nothing is done for it. It is read again later; other requests continue.',
    );
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
