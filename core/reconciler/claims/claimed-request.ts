import { ClaimLost } from '../../contract/commits/claim-lost.ts';
import type { Clock } from '../../contract/clock.ts';
import type { SignalRecord } from '../../model/signal.ts';
import type { Claim } from '../../contract/storage.ts';
import type { LoadFacts } from '../apply/apply-load.ts';
import { AnnouncedEnds } from './announced-ends.ts';
import type { HeldState } from '../state/request-state.ts';

/**
 * Until when a claim is certainly held, on both clocks: the monotonic clock stops while a host is suspended, and the
 * wall clock may be set back.
 */
export interface Validity {
  readonly monotonic: number;
  readonly wall: number;
}

export const isPast = ({ monotonic, wall }: Validity, clock: Clock): boolean =>
  clock.monotonic() > monotonic || clock.now() > wall;

/** No read of signals takes longer. */
const longestReadMs = 600_000;

/** A call for a request that waits for its turn. */
export interface WaitingCall {
  readonly attempt: number;
  /** A launch of an order that was never sent. */
  readonly isFirstLaunch: boolean;
  /** It is not made now. */
  recall(): void;
}

/** A request whose claim this process holds, with the times of its calls. */
export class ClaimedRequest {
  state: HeldState;
  readonly claim: Claim;
  /** Monotonic milliseconds: the time of the next decision. */
  due_at = 0;
  busy = false;
  /**
   * Since when other brokers should have the request, in monotonic milliseconds: it is yielded as soon as no call is
   * in flight. Undefined: they should not.
   */
  surplus_since: number | undefined;
  /** Outcomes of calls are lost: the state in memory must not be continued. */
  inDoubt = false;
  /** Monotonic milliseconds: when a caller last asked for fresh observations. */
  refresh_asked_at: number | undefined;
  /** The stored version of the request. */
  version: number;
  /**
   * Whether the derived fields were computed since the load: the last holder may have ended between two parts of a
   * change.
   */
  derived = false;
  /** What the first commit stores about the load; undefined: that is done. */
  load: LoadFacts | undefined;
  /** By how many milliseconds the clock was set without moving the times of the request yet. */
  pending_shift: number;
  /** Why no attempt may be opened before a monotonic time. */
  held_back: { readonly why: string; readonly until: number } | undefined;
  /** The earliest monotonic time of the next order for replacements. */
  replacements_at = -Infinity;
  readonly observed_at = new Map<number, number>();
  /** The attempts whose last observation failed. */
  readonly observation_failed = new Set<number>();
  /** When the last observation of all machines of each attempt began that has ended, answered or not. */
  readonly asked_at = new Map<number, number>();
  /** The last full observation of each attempt. */
  readonly fully_observed_at = new Map<number, number>();
  /** When the last connection to each instance without a session ended. */
  readonly reached_at = new Map<string, number>();
  readonly release_at = new Map<number, number>();
  readonly dispose_at = new Map<number, number>();
  readonly unanswered_since = new Map<number, number>();
  readonly repeated = new Set<number>();
  readonly announcedEnds = new AnnouncedEnds();
  /** Calls that wait for their turn at an instance. */
  readonly waitingCalls = new Set<WaitingCall>();
  /** Signals that arrived since the state was loaded. */
  readonly new_signals = new Map<string, SignalRecord>();
  /** The signals that were applied here, with the monotonic times: a read that began before brings them again. */
  readonly #applied = new Map<string, number>();
  readonly #clock: Clock;
  readonly #ended = new AbortController();
  #call = Promise.withResolvers<void>();
  #last: Promise<unknown> = Promise.resolve();
  #valid_until: Validity;
  #offset: number;

  /** `pendingShift`: a shift that an earlier claim of this process could not store. */
  constructor(loaded: HeldState, claim: Claim, clock: Clock, validUntil: Validity, pendingShift = 0) {
    this.state = loaded;
    this.version = loaded.request.version;
    this.claim = claim;
    this.#clock = clock;
    this.#valid_until = validUntil;
    this.pending_shift = pendingShift;
    this.#offset = clock.now() - clock.monotonic() - pendingShift;
  }

  get surplus(): boolean {
    return this.surplus_since !== undefined;
  }

  get request_id(): string {
    return this.claim.request_id;
  }

  /** Aborts when the claim is lost. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  get lost(): boolean {
    return this.#ended.signal.aborted || isPast(this.#valid_until, this.#clock);
  }

  /**
   * Epoch milliseconds of the times of this request. They advance with the monotonic clock; a shift of the wall clock
   * changes them through `shifted`.
   */
  now(): number {
    return Math.round(this.#clock.monotonic() + this.#offset);
  }

  /** The times of the request were moved by `ms`, durably. */
  shifted(ms: number): void {
    this.#offset += ms;
    this.pending_shift -= ms;
  }

  /** Adopts a small difference between the clocks. */
  follow(): void {
    if (this.pending_shift === 0) this.#offset = this.#clock.now() - this.#clock.monotonic();
  }

  /**
   * Whether the next holder may take this one's calls for known. It may not before it is stored that the last holder
   * did not yield.
   */
  get canYield(): boolean {
    return this.load?.taken_over !== true;
  }

  /**
   * Whether the request may be yielded now, when no call is in flight: nothing of it is known here alone. Signals are
   * not: the next holder reads those that are not applied.
   */
  get isAtRest(): boolean {
    return !this.lost && this.canYield && this.pending_shift === 0;
  }

  /** Runs tasks one after another, so that each starts from the state that the one before it left. */
  inTurn<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(task, task);
    this.#last = turn;
    return turn;
  }

  /** A signal arrived: it is applied at once, also while calls are in flight. */
  told(signal: SignalRecord): void {
    if (!this.hear(signal)) return;
    this.due_at = 0;
    // Orders are needless now. Other signals are applied beside the calls that wait.
    if (signal.kind === 'cancel' || signal.kind === 'complete') this.recallLaunches();
    this.planAgain();
  }

  /** A signal arrived, which is applied before the next plan. Returns false for one that is known already. */
  hear(signal: SignalRecord): boolean {
    if (this.new_signals.has(signal.signal_id) || this.#applied.has(signal.signal_id)) return false;
    this.new_signals.set(signal.signal_id, signal);
    return true;
  }

  /** These signals are applied durably. */
  applied(signals: readonly SignalRecord[]): void {
    const now = this.#clock.monotonic();
    for (const [id, at] of this.#applied) {
      if (now - at < longestReadMs) break;
      this.#applied.delete(id);
    }
    for (const { signal_id } of signals) {
      this.#applied.set(signal_id, now);
      // A read during the commit brought it again.
      this.new_signals.delete(signal_id);
    }
  }

  /** The request is planned again although calls for it are in flight. */
  planAgain(): void {
    this.#call.resolve();
  }

  /** The request is being planned: what calls for another plan from now on is not lost. */
  planning(): void {
    this.#call = Promise.withResolvers();
  }

  /** Resolves when the request is to be planned again. */
  get called(): Promise<void> {
    return this.#call.promise;
  }

  /** The first launches that still wait for their turn are not made now. */
  recallLaunches(): void {
    for (const each of this.waitingCalls) if (each.isFirstLaunch) each.recall();
  }

  /** No call that still waits for its turn is made now. */
  recallAll(): void {
    for (const each of this.waitingCalls) each.recall();
  }

  /** Rejects with ClaimLost as soon as the claim ends, for work that needs not be ended. */
  whileHeld<T>(work: Promise<T>): Promise<T> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      const ended = (): void => reject(new ClaimLost(this.request_id));
      if (signal.aborted) ended();
      signal.addEventListener('abort', ended, { once: true });
      // Each work removes its listener: a claim may be held for months.
      const over = (): void => signal.removeEventListener('abort', ended);
      void work.then(resolve, reject).finally(over);
    });
  }

  holdBack(why: string, ms: number): void {
    this.held_back = { why, until: this.#clock.monotonic() + ms };
  }

  /** No replacement may be ordered for a time. */
  holdReplacements(ms: number): void {
    this.replacements_at = this.#clock.monotonic() + ms;
  }

  /** No session with the instance is available: from now on its unsent orders count as unanswered. */
  unanswered(instance: string): void {
    for (const { attempt, provider_instance, state, unsent } of this.state.attempts)
      if (provider_instance === instance && state === 'open' && unsent && !this.unanswered_since.has(attempt))
        this.unanswered_since.set(attempt, this.#clock.monotonic());
  }

  renewed(validUntil: Validity): void {
    this.#valid_until = validUntil;
  }

  end(): void {
    this.#ended.abort();
    this.recallAll();
    this.planAgain();
  }

  /**
   * Throws ClaimLost when the claim is lost or may be lost, by the clocks of this process, counted from before the
   * claim.
   */
  fence(): void {
    if (this.lost) throw new ClaimLost(this.request_id);
  }

  /** The state, including signals that arrived since. */
  present(): HeldState {
    if (this.new_signals.size === 0) return this.state;
    const known = new Set(this.state.signals.map((signal) => signal.signal_id));
    const signals = [
      ...this.state.signals,
      ...[...this.new_signals.values()].filter((signal) => !known.has(signal.signal_id)),
    ];
    this.new_signals.clear();
    this.state = { ...this.state, signals };
    return this.state;
  }
}
