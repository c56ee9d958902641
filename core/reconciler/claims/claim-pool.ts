import { isClaimLost } from '../../contract/commits/claim-lost.ts';
import type { Clock } from '../../contract/clock.ts';
import { isBrokerError } from '../../contract/errors.ts';
import type { Log } from '../../contract/log.ts';
import type { Kind } from '../../model/kinds.ts';
import type { Claim, Owner, Store } from '../../contract/storage.ts';
import type { RequestState, HeldState } from '../state/request-state.ts';
import { ClockWatch } from './clock-watch.ts';
import { ClaimedRequest, type Validity } from './claimed-request.ts';
import { JumpsLeft } from './jumps-left.ts';
import { loadStates } from './load-states.ts';
import type { StorageTrouble } from './storage-trouble.ts';
import type { Settings } from '../settings.ts';
import { SignalInbox } from './signal-inbox.ts';

/** Claims taken in one go. */
const claimsAtOnce = 200;
/** Without a word from the store, claims are asked for this often. */
const idleMs = 1_000;
/** Between two rounds at least: what comes in between is served together. */
const shortestMs = 5;

/** Of a request that nobody held before. */
const firstEpoch = 1;

/** What is done with a request that is held. */
export interface Work {
  /** Decides and acts until nothing is due; rejects with ClaimLost, CONFLICT, or what went wrong. */
  run(claimed: ClaimedRequest): Promise<void>;
  /** Whether a release that the last holder sent may undo a newer one when it arrives late. */
  lateReleaseHarms(loaded: RequestState): boolean;
  /** Between rounds; must not throw, and nobody waits for it. */
  everyRound(): Promise<void>;
}

/** The claims of this process: takes what is due, renews, wakes each request when its time has come, and lets go. */
export class ClaimPool {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #owner: Owner;
  readonly #settings: Settings;
  readonly #work: Work;
  readonly #trouble: StorageTrouble;
  readonly #held = new Map<string, ClaimedRequest>();
  /** Being given back at this moment. */
  readonly #yielding = new Set<string>();
  readonly #running = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  #awake: (() => void) | undefined;
  #wake = false;
  #claimDue = true;
  /** Monotonic milliseconds: when claims are asked for without a word from the store; a second earlier with one. */
  #claimAt = -Infinity;
  readonly #inbox: SignalInbox;
  #renewed_at = 0;
  readonly #clocks: ClockWatch;
  readonly #jumpsLeft = new JumpsLeft();
  #rounds: Promise<void> | undefined;
  #watch: Disposable | undefined;

  constructor(store: Store, clock: Clock, log: Log, owner: Owner, settings: Settings, work: Work, trouble: StorageTrouble) {
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

  get(request_id: string): ClaimedRequest | undefined {
    return this.#held.get(request_id);
  }

  /** Has the request decided again after `ms`, or earlier if it was to be. */
  due(claimed: ClaimedRequest, ms: number): void {
    const at = this.#clock.monotonic() + ms;
    // While it is being worked on, this only asks for another round afterwards.
    claimed.due_at = Math.min(claimed.due_at, at);
    if (ms < idleMs) this.#rouse();
  }

  /** Nothing is on the wire and nothing is due soon. */
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

  /** Lets calls under way end for `ms`, then has them aborted, and gives everything back that is at rest. */
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
      .catch((error: unknown) => this.#log.warn({ err: error }, 'Claims could not be given back; they end with their lease.'));
  }

  /** Waits for what runs, for at most `ms`. */
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
          // Asking takes longer the more is held: at most a fifth of the time goes into it.
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
        // One that could not be given back is found to be ours with the next renewal, and tries no more here.
        if (this.#held.get(claimed.request_id) !== claimed) return;
        this.#trouble.failed(claimed, error);
        this.due(claimed, 5_000);
      } else {
        // What was done and what is in memory may differ now: it is loaded anew, with the doubt that a crash would leave.
        this.#log.error({ err: error, request_id: claimed.request_id }, 'A request could not be carried on; it is loaded anew.');
        this.#forget(claimed);
      }
    } finally {
      claimed.busy = false;
      if (claimed.incoming.size > 0) claimed.due_at = 0;
      // Whatever went wrong above, a held request is never forgotten.
      if (claimed.due_at === Infinity && this.#held.get(claimed.request_id) === claimed) this.due(claimed, idleMs);
      if (claimed.due_at <= this.#clock.monotonic()) this.#rouse();
    }
  }

  /** The times of what is held move with a clock that was set; see `shiftTimes`. Cheap: to be called whenever something is judged by the time. */
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
    this.#log.warn({ seconds }, 'The clock of this host jumped, or the host was suspended; open requests are not judged by that.');
    const record = { seq: 0, at: this.#clock.now(), type: 'clock.jumped', data: { seconds } };
    this.#store
      .commit([{ op: 'insert', kind: 'event', record }])
      .catch((error: unknown) => this.#log.warn({ err: error }, 'The jump of the clock could not be journalled.'));
  }

  #drop(claimed: ClaimedRequest): void {
    this.#forget(claimed);
    // With a storage that takes no renewal all are lost at once, and why is told already.
    const level = this.#trouble.message === undefined ? 'warn' : 'debug';
    this.#log[level]({ request_id: claimed.request_id }, 'The claim on a request was lost; whoever has it carries it on.');
    this.#claimDue = true;
  }

  #forget(claimed: ClaimedRequest): void {
    this.compareClocks();
    // Whoever notices second that a claim ended knows less of what came after it.
    const isFirst = this.#held.get(claimed.request_id) === claimed;
    if (isFirst) this.#jumpsLeft.leave(claimed);
    claimed.end();
    this.#trouble.over(claimed);
    if (isFirst) this.#held.delete(claimed.request_id);
  }

  async #claim(): Promise<void> {
    this.#claimDue = false;
    // The lease is counted from before the call: it may take long, and the store counts from its own time.
    const before = this.#validity();
    const claims = await this.#store.claim(this.#owner, claimsAtOnce, this.#settings.lease_ms);
    if (claims.length === 0) return;
    if (claims.length === claimsAtOnce) this.#claimDue = true;
    await this.#take(claims, before);
    if (this.#claimDue) this.#rouse();
  }

  async #take(claims: readonly Claim[], validUntil: Validity): Promise<void> {
    const cases = await loadStates(this.#store, claims).catch((error: unknown) => error);
    // A clock that was set while they were loaded is noticed before they join the others.
    this.compareClocks();
    for (const claim of claims) {
      // A claim that ended before it was missed is given to the same process again.
      const earlier = this.#held.get(claim.request_id);
      if (earlier) this.#drop(earlier);
      if (!(cases instanceof Map)) {
        this.#jumpsLeft.claimed(claim);
        continue;
      }
      const loaded = cases.get(claim.request_id);
      if (loaded) this.#held.set(claim.request_id, this.#claimed(loaded, claim, validUntil));
    }
    if (!(cases instanceof Map)) throw cases;
  }

  /** Until when a claim that is asked for now is certainly held. */
  #validity(): Validity {
    const half = this.#settings.lease_ms / 2;
    return { monotonic: this.#clock.monotonic() + half, wall: this.#clock.now() + half };
  }

  /**
   * A request with its new holder. When the last one did not yield, a release of its may still be on the wire, with an older aim: where
   * that can do harm, the present aim is said once more after a while.
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
    // Ours by the store, and forgotten here: nobody else would ever get them while we renew. As after a crash, what was sent is in doubt.
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
