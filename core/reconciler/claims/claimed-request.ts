import { ClaimLost } from '../../contract/commits/claim-lost.ts';
import type { Clock } from '../../contract/clock.ts';
import type { SignalRecord } from '../../model/signal.ts';
import type { Claim } from '../../contract/storage.ts';
import type { HeldState } from '../state/request-state.ts';

/** Until when a claim is certainly held, on both clocks: the monotonic one stands still while a host is suspended, the other one may be set back. */
export interface Validity {
  readonly monotonic: number;
  readonly wall: number;
}

/** A request that this process holds the claim of, with what it remembers of its calls. */
export class ClaimedRequest {
  case: HeldState;
  readonly claim: Claim;
  /** Monotonic milliseconds: when to decide next. */
  due_at = 0;
  busy = false;
  refresh_now = false;
  /** The version of the request as it is stored. */
  version: number;
  /** What follows from the rows was worked out since they were loaded: the last holder may have ended between two parts of a change. */
  derived = false;
  /** The clock was set by so many milliseconds, and the times of the case are not moved by that yet. */
  pending_shift: number;
  /** Why no attempt is to be started before a time of the monotonic clock. */
  held_back: { readonly why: string; readonly until: number } | undefined;
  readonly looked_at = new Map<number, number>();
  /** The last look at all machines of an attempt. */
  readonly looked_fully_at = new Map<number, number>();
  readonly release_at = new Map<number, number>();
  readonly dispose_at = new Map<number, number>();
  readonly unanswered_since = new Map<number, number>();
  readonly repeated = new Set<number>();
  /** Signals that came in since the case was loaded. */
  readonly incoming = new Map<string, SignalRecord>();
  readonly #clock: Clock;
  readonly #ended = new AbortController();
  #last: Promise<unknown> = Promise.resolve();
  #valid_until: Validity;
  #offset: number;

  /** `pendingShift`: of an earlier holding of this process that ended before it could store it. */
  constructor(loaded: HeldState, claim: Claim, clock: Clock, validUntil: Validity, pendingShift = 0) {
    this.case = loaded;
    this.version = loaded.request.version;
    this.claim = claim;
    this.#clock = clock;
    this.#valid_until = validUntil;
    this.pending_shift = pendingShift;
    this.#offset = clock.now() - clock.monotonic() - pendingShift;
  }

  get request_id(): string {
    return this.claim.request_id;
  }

  /** Aborts when the claim is lost. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  get lost(): boolean {
    const { monotonic, wall } = this.#valid_until;
    return this.#ended.signal.aborted || this.#clock.monotonic() > monotonic || this.#clock.now() > wall;
  }

  /** Epoch milliseconds in which the times of this case are kept. They pass as the monotonic clock does; a clock that is set changes them by `shifted`. */
  now(): number {
    return Math.round(this.#clock.monotonic() + this.#offset);
  }

  /** The times of the case were moved by this, durably. */
  shifted(ms: number): void {
    this.#offset += ms;
    this.pending_shift -= ms;
  }

  /** Takes a small difference between the clocks over. */
  follow(): void {
    if (this.pending_shift === 0) this.#offset = this.#clock.now() - this.#clock.monotonic();
  }

  /** Runs one task after another: each starts from the case that the one before it left. */
  inTurn<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(task, task);
    this.#last = turn;
    return turn;
  }

  holdBack(why: string, ms: number): void {
    this.held_back = { why, until: this.#clock.monotonic() + ms };
  }

  /** No session with an instance can be had: what was ordered there and never carried out waits since then. */
  unanswered(instance: string): void {
    for (const { attempt, provider_instance, state, unsent } of this.case.attempts)
      if (provider_instance === instance && state === 'open' && unsent && !this.unanswered_since.has(attempt))
        this.unanswered_since.set(attempt, this.#clock.monotonic());
  }

  renewed(validUntil: Validity): void {
    this.#valid_until = validUntil;
  }

  end(): void {
    this.#ended.abort();
  }

  /** Throws ClaimLost when the claim is lost, or may be: by the clocks of this process, counted from before it was given. */
  fence(): void {
    if (this.lost) throw new ClaimLost(this.request_id);
  }

  /** The case with what callers wished since. */
  present(): HeldState {
    if (this.incoming.size === 0) return this.case;
    const known = new Set(this.case.signals.map((signal) => signal.signal_id));
    const signals = [...this.case.signals, ...[...this.incoming.values()].filter((signal) => !known.has(signal.signal_id))];
    this.incoming.clear();
    this.case = { ...this.case, signals };
    return this.case;
  }
}
