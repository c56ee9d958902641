import { isClaimLost } from '../../contract/commits/claim-lost.ts';
import type { Clock } from '../../contract/clock.ts';
import { isBrokerError } from '../../contract/errors.ts';
import type { Log } from '../../contract/log.ts';
import type { Kind } from '../../model/kinds.ts';
import type { Claim, Owner, Store } from '../../contract/storage.ts';
import type { RequestState, HeldState } from '../state/request-state.ts';
import { ClockWatch } from '../clock-shift/clock-watch.ts';
import { ClaimedRequest, type Validity } from './claimed-request.ts';
import { JumpsLeft } from '../clock-shift/unstored-shifts.ts';
import { loadStates } from './load-states.ts';
import type { StorageTrouble } from './storage-trouble.ts';
import type { Settings } from '../settings.ts';
import { SignalInbox } from './signal-inbox.ts';

/** The most claims of one call. */
const claimsAtOnce = 200;
/** The interval of claims without a notice of the store. */
const idleMs = 1_000;
/** The shortest interval between rounds, so that notices are handled together. */
const shortestMs = 5;

/** The epoch of a request that was never claimed before. */
const firstEpoch = 1;

/** The work for claimed requests. */
export interface Work {
  /** Plans and executes steps until none is due. Rejects with ClaimLost, CONFLICT or the error of a step. */
  run(claimed: ClaimedRequest): Promise<void>;
  /** Whether a release that the last holder sent may undo a newer one when it arrives late. */
  lateReleaseHarms(loaded: RequestState): boolean;
  /** Called between rounds. Must not throw; the pool does not wait for it. */
  everyRound(): Promise<void>;
}

/**
 * The claims of this process: claims due requests, renews the claims, runs each request when it is due, and yields.
 */
export class ClaimPool {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #owner: Owner;
  readonly #settings: Settings;
  readonly #work: Work;
  readonly #trouble: StorageTrouble;
  readonly #held = new Map<string, ClaimedRequest>();
  /** Requests that are being yielded now. */
  readonly #yielding = new Set<string>();
  readonly #running = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  #awake: (() => void) | undefined;
  #wake = false;
  #claimDue = true;
  /**
   * Monotonic milliseconds: the time of the next claim without a notice of the store; with one it is a second earlier.
   */
  #claimAt = -Infinity;
  readonly #inbox: SignalInbox;
  #renewed_at = 0;
  readonly #clocks: ClockWatch;
  readonly #jumpsLeft = new JumpsLeft();
  #rounds: Promise<void> | undefined;
  #watch: Disposable | undefined;

  constructor(
    store: Store,
    clock: Clock,
    log: Log,
    owner: Owner,
    settings: Settings,
    work: Work,
    trouble: StorageTrouble,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#owner = owner;
    this.#settings = settings;
    this.#work = work;
    this.#trouble = trouble;
    this.#inbox = new SignalInbox(store, clock);
    this.#clocks = new ClockWatch(clock, settings.clock_check_ms, settings.clock_jump_ms);
  }

  start(): void {
    this.#renewed_at = this.#clock.monotonic();
    this.#watch = this.#store.watch((kinds) => this.#heard(kinds));
    this.#rounds = this.#loop();
  }

  /** The requests that are held here. */
  held(): Iterable<ClaimedRequest> {
    return this.#held.values();
  }

  get(request_id: string): ClaimedRequest | undefined {
    return this.#held.get(request_id);
  }

  /** Makes the request due after `ms`, unless it is due earlier. */
  due(claimed: ClaimedRequest, ms: number): void {
    const at = this.#clock.monotonic() + ms;
    // For a running request this only requests another round afterwards.
    claimed.due_at = Math.min(claimed.due_at, at);
    if (ms < idleMs) this.#rouse();
  }

  /** Yields a request without calls in flight and without work that is due soon. */
  async giveBack(claimed: ClaimedRequest): Promise<void> {
    this.#held.delete(claimed.request_id);
    claimed.end();
    this.#yielding.add(claimed.request_id);
    try {
      await this.#store.yield([claimed.claim]);
    } finally {
      this.#yielding.delete(claimed.request_id);
    }
  }

  /** Waits `ms` for running calls, then aborts them, and yields all requests at rest. */
  async stop(ms: number, abort: () => void): Promise<void> {
    this.#stopping.abort();
    this.#watch?.[Symbol.dispose]();
    this.#rouse();
    await this.#rounds;
    await this.#rest(ms);
    abort();
    await this.#rest(ms);
    const atRest = [...this.#held.values()].filter((claimed) => !claimed.busy && !claimed.lost);
    for (const claimed of this.#held.values()) claimed.end();
    this.#held.clear();
    await this.#store
      .yield(atRest.map((claimed) => claimed.claim))
      .catch((error: unknown) =>
        this.#log.warn({ err: error }, 'Claims could not be yielded; they end with their lease.'),
      );
  }

  /** Waits at most `ms` for running work. */
  async #rest(ms: number): Promise<void> {
    const over = new AbortController();
    await Promise.race([Promise.allSettled(this.#running), this.#clock.sleep(ms, over.signal)]);
    over.abort();
  }

  #heard(kinds: ReadonlySet<Kind>): void {
    if (kinds.has('signal')) this.#inbox.heard();
    if (kinds.has('signal') || kinds.has('request')) {
      this.#claimDue = true;
      this.#rouse();
    }
  }

  #rouse(): void {
    this.#wake = true;
    this.#awake?.();
  }

  async #loop(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      this.#wake = false;
      try {
        this.compareClocks();
        if (this.#clock.monotonic() - this.#renewed_at > this.#settings.lease_ms / 4) await this.#renew();
        if (this.#inbox.due) await this.#inbox.deliver(this.#held);
        const now = this.#clock.monotonic();
        if (now >= this.#nextClaim()) {
          await this.#claim();
          // A claim takes longer the more requests are held. At most a fifth of the time is spent on claims.
          const took = this.#clock.monotonic() - now;
          this.#claimAt = this.#clock.monotonic() + idleMs + took * 4;
        }
        this.#trouble.over(this);
      } catch (error) {
        this.#trouble.failed(this, error);
        await this.#clock.sleep(500, this.#stopping.signal);
      }
      this.#startDue();
      void this.#work.everyRound();
      await this.#clock.sleep(shortestMs, this.#stopping.signal);
      if (!this.#wake) await this.#sleep();
    }
  }

  #nextClaim(): number {
    return this.#claimDue ? this.#claimAt - idleMs : this.#claimAt;
  }

  #startDue(): void {
    const now = this.#clock.monotonic();
    for (const claimed of this.#held.values()) {
      if (claimed.busy || claimed.due_at > now) continue;
      if (claimed.lost) {
        this.#drop(claimed);
        continue;
      }
      const running = this.#carryOn(claimed).finally(() => this.#running.delete(running));
      this.#running.add(running);
    }
  }

  async #carryOn(claimed: ClaimedRequest): Promise<void> {
    claimed.busy = true;
    claimed.due_at = Infinity;
    try {
      await this.#work.run(claimed);
      this.#trouble.over(claimed);
    } catch (error) {
      if (isClaimLost(error) || (isBrokerError(error) && error.code === 'CONFLICT')) this.#drop(claimed);
      else if (isBrokerError(error) && error.code === 'UNAVAILABLE') {
        // A request that could not be yielded is found with the next renewal and claimed again there.
        if (this.#held.get(claimed.request_id) !== claimed) return;
        this.#trouble.failed(claimed, error);
        this.due(claimed, 5_000);
      } else {
        // The state in memory may differ from the effect of the calls, so the request is loaded again, as after a
        // crash.
        this.#log.error(
          { err: error, request_id: claimed.request_id },
          'The work for a request failed; the request is loaded again.',
        );
        this.#forget(claimed);
      }
    } finally {
      claimed.busy = false;
      if (claimed.incoming.size > 0) claimed.due_at = 0;
      // After any error above, a held request must become due again.
      if (claimed.due_at === Infinity && this.#held.get(claimed.request_id) === claimed) this.due(claimed, idleMs);
      if (claimed.due_at <= this.#clock.monotonic()) this.#rouse();
    }
  }

  /**
   * Moves the times of held requests when the clock was set; see `shiftTimes`. Cheap: called before every decision by
   * time.
   */
  compareClocks(): void {
    const jump = this.#clocks.check();
    if (jump === undefined) return;
    for (const claimed of this.#held.values()) {
      if (jump === 0) claimed.follow();
      else {
        claimed.pending_shift += jump;
        claimed.due_at = 0;
      }
    }
    if (jump === 0) return;
    this.#jumpsLeft.jumped(jump);
    const seconds = Math.round(jump / 1000);
    this.#log.warn(
      { seconds },
      'The clock of this host jumped, or the host was suspended; the times of open requests are moved accordingly.',
    );
    const record = { seq: 0, at: this.#clock.now(), type: 'clock.jumped', data: { seconds } };
    this.#store
      .commit([{ op: 'insert', kind: 'event', record }])
      .catch((error: unknown) =>
        this.#log.warn({ err: error }, 'The event about the jump of the clock could not be stored.'),
      );
  }

  #drop(claimed: ClaimedRequest): void {
    this.#forget(claimed);
    // When the storage accepts no renewal, all claims are lost at once, and the cause is already logged.
    const level = this.#trouble.message === undefined ? 'warn' : 'debug';
    this.#log[level](
      { request_id: claimed.request_id },
      'The claim on a request was lost; its new holder continues the work.',
    );
    this.#claimDue = true;
  }

  #forget(claimed: ClaimedRequest): void {
    this.compareClocks();
    // Only the first call for an ended claim knows the remaining shift.
    const isFirst = this.#held.get(claimed.request_id) === claimed;
    if (isFirst) this.#jumpsLeft.leave(claimed);
    claimed.end();
    this.#trouble.over(claimed);
    if (isFirst) this.#held.delete(claimed.request_id);
  }

  async #claim(): Promise<void> {
    this.#claimDue = false;
    // The lease counts from before the call, because the call may take long and the store counts from its own time.
    const before = this.#validity();
    const claims = await this.#store.claim(this.#owner, claimsAtOnce, this.#settings.lease_ms);
    if (claims.length === 0) return;
    if (claims.length === claimsAtOnce) this.#claimDue = true;
    await this.#take(claims, before);
    if (this.#claimDue) this.#rouse();
  }

  async #take(claims: readonly Claim[], validUntil: Validity): Promise<void> {
    const states = await loadStates(this.#store, claims).catch((error: unknown) => error);
    // A jump of the clock during the load is noticed before the requests join the others.
    this.compareClocks();
    for (const claim of claims) {
      // A claim that ended unnoticed may be given to the same process again.
      const earlier = this.#held.get(claim.request_id);
      if (earlier) this.#drop(earlier);
      if (!(states instanceof Map)) {
        this.#jumpsLeft.claimed(claim);
        continue;
      }
      const loaded = states.get(claim.request_id);
      if (loaded) this.#held.set(claim.request_id, this.#claimed(loaded, claim, validUntil));
    }
    if (!(states instanceof Map)) throw states;
  }

  /** Until when a claim that is requested now is certainly held. */
  #validity(): Validity {
    const half = this.#settings.lease_ms / 2;
    return { monotonic: this.#clock.monotonic() + half, wall: this.#clock.now() + half };
  }

  /**
   * A request with its new holder. When the last holder did not yield, its release with an older target may still be
   * in flight. Where that is harmful, the present target is sent again after some time.
   */
  #claimed(loaded: HeldState, claim: Claim, validUntil: Validity): ClaimedRequest {
    const left = this.#jumpsLeft.take(claim, loaded.request);
    const { moved_ms, created_at } = loaded.request;
    const isNew = claim.epoch === firstEpoch && moved_ms === undefined;
    const shift = left ?? (isNew ? this.#clocks.missedBy(created_at) : 0);
    const repeat = claim.taken_over && this.#work.lateReleaseHarms(loaded);
    const request = {
      ...loaded.request,
      epoch: claim.epoch,
      ...(repeat ? { repeat_release_at: this.#clock.now() - shift + this.#settings.repeat_release_ms } : {}),
    };
    return new ClaimedRequest({ ...loaded, request }, claim, this.#clock, validUntil, shift);
  }

  async #renew(): Promise<void> {
    const renewedAt = this.#clock.monotonic();
    const validUntil = this.#validity();
    const held = await this.#store.renew(this.#owner, this.#settings.lease_ms);
    this.#renewed_at = renewedAt;
    const epochs = new Map(held.map((claim) => [claim.request_id, claim.epoch]));
    for (const claimed of this.#held.values()) {
      if (epochs.get(claimed.request_id) === claimed.claim.epoch) claimed.renewed(validUntil);
      else this.#drop(claimed);
    }
    // Claims that the store assigns to this process and that are not held here: no other process would get them while
    // this one renews. As after a crash, the outcome of their calls is in doubt.
    const forgotten = held.filter(({ request_id }) => !this.#held.has(request_id) && !this.#yielding.has(request_id));
    if (forgotten.length > 0)
      await this.#take(
        forgotten.map((claim) => ({ ...claim, taken_over: true })),
        validUntil,
      );
  }

  async #sleep(): Promise<void> {
    const now = this.#clock.monotonic();
    let ms = Math.min(idleMs, this.#nextClaim() - now);
    for (const claimed of this.#held.values()) if (!claimed.busy) ms = Math.min(ms, claimed.due_at - now);
    if (ms <= 0) return;
    const waking = new AbortController();
    this.#awake = () => waking.abort();
    if (!this.#wake) await this.#clock.sleep(ms, AbortSignal.any([waking.signal, this.#stopping.signal]));
    this.#awake = undefined;
  }
}
