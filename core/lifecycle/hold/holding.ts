import { ClaimLost } from '../../claim-lost.ts';
import type { Clock } from '../../clock.ts';
import type { WishRecord } from '../../model/wish.ts';
import type { Claim } from '../../storage.ts';
import type { Case } from '../case.ts';

/** A request that this process holds the claim of, with what it remembers of its calls. */
export class Holding {
  case: Case;
  readonly claim: Claim;
  /** Monotonic milliseconds: when to decide next. */
  due_at = 0;
  busy = false;
  look_now = false;
  /** Why no attempt is to be started before a time of the monotonic clock. */
  held_back: { readonly why: string; readonly until: number } | undefined;
  readonly looked_at = new Map<number, number>();
  readonly release_at = new Map<number, number>();
  readonly dispose_at = new Map<number, number>();
  /** Wishes that came in since the case was loaded. */
  readonly incoming = new Map<string, WishRecord>();
  readonly #clock: Clock;
  readonly #ended = new AbortController();
  #last: Promise<unknown> = Promise.resolve();
  #valid_until: number;

  constructor(loaded: Case, claim: Claim, clock: Clock, validUntil: number) {
    this.case = loaded;
    this.claim = claim;
    this.#clock = clock;
    this.#valid_until = validUntil;
  }

  get request_id(): string {
    return this.claim.request_id;
  }

  /** Aborts when the claim is lost. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  get lost(): boolean {
    return this.#ended.signal.aborted || this.#clock.monotonic() > this.#valid_until;
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

  renewed(validUntil: number): void {
    this.#valid_until = validUntil;
  }

  end(): void {
    this.#ended.abort();
  }

  /** Throws ClaimLost when the claim is lost, or may be: by the clock of this process, counted from before it was given. */
  fence(): void {
    if (this.lost) throw new ClaimLost(this.request_id);
  }

  /** The case with what callers wished since. */
  present(): Case {
    if (this.incoming.size === 0) return this.case;
    const known = new Set(this.case.wishes.map((wish) => wish.wish_id));
    const wishes = [...this.case.wishes, ...[...this.incoming.values()].filter((wish) => !known.has(wish.wish_id))];
    this.incoming.clear();
    this.case = { ...this.case, wishes };
    return this.case;
  }
}
