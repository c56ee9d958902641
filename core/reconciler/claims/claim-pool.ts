import { isClaimLost } from '../../contract/commits/claim-lost.ts';
import { isBrokerError } from '../../contract/errors.ts';
import type { Kind } from '../../model/kinds.ts';
import type { ClaimedRequest } from './claimed-request.ts';
import { HeldClaims, type HeldClaimsParts } from './held-claims.ts';
import { SignalInbox } from './signal-inbox.ts';

/** The interval of claims without a notice of the store. */
const idleMs = 1_000;
/** The longest additional interval after a claim that took long. */
const longestPauseMs = 5_000;
/** The shortest interval between rounds, so that notices are handled together. */
const shortestMs = 5;

export interface ClaimPoolParts extends HeldClaimsParts {
  /** Plans and executes steps until none is due. Rejects with ClaimLost, CONFLICT or the error of a step. */
  run(claimed: ClaimedRequest): Promise<void>;
  /** Called between rounds. Must not throw; the pool does not wait for it. */
  everyRound(): Promise<void>;
}

/** The rounds of this process: claims due requests, renews the claims, and runs each request when it is due. */
export class ClaimPool {
  readonly #parts: ClaimPoolParts;
  readonly #claims: HeldClaims;
  readonly #inbox: SignalInbox;
  readonly #running = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  #awake: (() => void) | undefined;
  #wake = false;
  /**
   * Monotonic milliseconds: the time of the next claim without a notice of the store; with one it is a second earlier.
   */
  #claimAt = -Infinity;
  #rounds: Promise<void> | undefined;
  #watch: Disposable | undefined;

  constructor(parts: ClaimPoolParts) {
    this.#parts = parts;
    this.#claims = new HeldClaims(parts);
    this.#inbox = new SignalInbox(parts.store, parts.clock, parts.log);
  }

  start(): void {
    this.#watch = this.#parts.store.watch((kinds) => this.#heard(kinds));
    this.#rounds = this.#loop();
  }

  /** The requests that are held here. */
  held(): Iterable<ClaimedRequest> {
    return this.#claims.all().values();
  }

  /** How many requests are left alone because they cannot be read. */
  get unreadable(): number {
    return this.#claims.unreadable;
  }

  get(request_id: string): ClaimedRequest | undefined {
    return this.#claims.all().get(request_id);
  }

  /** Moves the times of held requests when the clock was set. Cheap: called before every decision by time. */
  compareClocks(): void {
    this.#claims.compareClocks();
  }

  /** Makes the request due after `ms`, unless it is due earlier. */
  due(claimed: ClaimedRequest, ms: number): void {
    const at = this.#parts.clock.monotonic() + ms;
    claimed.due_at = Math.min(claimed.due_at, at);
    // A running request has another round afterwards, and is planned again beside calls in flight.
    if (claimed.busy) claimed.planAgain();
    if (ms < idleMs) this.#rouse();
  }

  /** Yields a request without calls in flight and without work that is due soon. */
  yield(claimed: ClaimedRequest): Promise<void> {
    return this.#claims.yield(claimed);
  }

  /**
   * Waits `ms` for running calls, then aborts them, and yields all requests at rest. The record of the broker says by
   * now that it ends.
   */
  async stop(ms: number, abort: () => void): Promise<void> {
    this.#stopping.abort();
    for (const claimed of this.held()) claimed.recallLaunches();
    this.#watch?.[Symbol.dispose]();
    this.#rouse();
    await this.#rounds;
    // A storage that cannot be written must not delay the end.
    await this.#within(this.#claims.tell(), ms);
    await this.#rest(ms);
    abort();
    await this.#rest(ms);
    await this.#claims.yieldAll();
  }

  /** Ends the lease of this broker. */
  leave(): Promise<void> {
    return this.#claims.leave();
  }

  /** Waits at most `ms` for running work. */
  #rest(ms: number): Promise<void> {
    return this.#within(Promise.allSettled(this.#running), ms);
  }

  /** Waits at most `ms`, whatever the outcome. */
  async #within(work: Promise<unknown>, ms: number): Promise<void> {
    const over = new AbortController();
    await Promise.race([work.catch(() => undefined), this.#parts.clock.sleep(ms, over.signal)]);
    over.abort();
  }

  #heard(kinds: ReadonlySet<Kind>): void {
    if (kinds.has('signal')) this.#inbox.heard();
    if (kinds.has('signal') || kinds.has('request')) {
      this.#claims.due = true;
      this.#rouse();
    }
  }

  #rouse(): void {
    this.#wake = true;
    this.#awake?.();
  }

  async #loop(): Promise<void> {
    const { clock, trouble } = this.#parts;
    while (!this.#stopping.signal.aborted) {
      this.#wake = false;
      try {
        this.compareClocks();
        await this.#claims.renew();
        const now = clock.monotonic();
        // What was claimed is loaded before more is claimed: other brokers may get the rest.
        if (now >= this.#nextClaim() && !this.#claims.loads) {
          await this.#claims.claim();
          if (this.#claims.due) this.#rouse();
          // A claim takes longer the more requests are held. At most a fifth of the time is spent on claims. The pause
          // is bounded, because the host may have been suspended meanwhile: other brokers leave this one its share.
          const took = clock.monotonic() - now;
          this.#claimAt = clock.monotonic() + idleMs + Math.min(took * 4, longestPauseMs);
        }
        await this.#claims.load();
        if (this.#claims.loads) this.#rouse();
        if (this.#inbox.due) await this.#inbox.deliver(this.#claims.all());
        trouble.over(this);
      } catch (error) {
        trouble.failed(this, error);
        await clock.sleep(500, this.#stopping.signal);
      }
      this.#startDue();
      void this.#parts.everyRound();
      await clock.sleep(shortestMs, this.#stopping.signal);
      if (!this.#wake) await this.#sleep();
    }
  }

  #nextClaim(): number {
    return this.#claims.due ? this.#claimAt - idleMs : this.#claimAt;
  }

  #startDue(): void {
    const now = this.#parts.clock.monotonic();
    for (const claimed of this.held()) {
      if (claimed.busy || claimed.due_at > now) continue;
      if (claimed.lost) {
        this.#claims.lost(claimed);
        continue;
      }
      const running = this.#carryOn(claimed).finally(() => this.#running.delete(running));
      this.#running.add(running);
    }
  }

  async #carryOn(claimed: ClaimedRequest): Promise<void> {
    const { clock, log, trouble } = this.#parts;
    claimed.busy = true;
    claimed.due_at = Infinity;
    try {
      await this.#parts.run(claimed);
      trouble.over(claimed);
    } catch (error) {
      const code = isBrokerError(error) ? error.code : undefined;
      if (isClaimLost(error) || code === 'CONFLICT') this.#claims.lost(claimed);
      else if (code === 'UNAVAILABLE' && claimed.inDoubt) {
        // What is stored tells less than what happened. It is loaded again, as what another holder left.
        this.#claims.lost(claimed);
      } else if (code === 'UNAVAILABLE') {
        // A request that could not be yielded is found with the next renewal and claimed again there.
        if (!this.#claims.has(claimed)) return;
        trouble.failed(claimed, error);
        this.due(claimed, 5_000);
      } else {
        // The state in memory may differ from the effect of the calls, so the request is loaded again, as after a
        // crash.
        log.error(
          { err: error, request_id: claimed.request_id },
          'The work for a request failed; the request is loaded again.',
        );
        this.#claims.forget(claimed);
      }
    } finally {
      claimed.busy = false;
      if (claimed.new_signals.size > 0) claimed.due_at = 0;
      // After any error above, a held request must become due again.
      if (claimed.due_at === Infinity && this.#claims.has(claimed)) this.due(claimed, idleMs);
      if (claimed.due_at <= clock.monotonic()) this.#rouse();
    }
  }

  async #sleep(): Promise<void> {
    const { clock } = this.#parts;
    const now = clock.monotonic();
    let ms = Math.min(idleMs, this.#nextClaim() - now);
    for (const claimed of this.held()) if (!claimed.busy) ms = Math.min(ms, claimed.due_at - now);
    if (ms <= 0) return;
    const waking = new AbortController();
    // Without a reason, each abort creates an error with a stack.
    this.#awake = () => waking.abort(null);
    if (!this.#wake) await clock.sleep(ms, waking.signal);
    this.#awake = undefined;
  }
}
