import type { Clock } from '../../contract/clock.ts';

/** An instance without an answer for this time is checked. */
const idleMs = 120_000;
/** The time between checks of an instance that stopped answering, until it is unhealthy. */
const soonMs = 5_000;
/** The first wait for an unhealthy instance. It doubles with every check, up to the interval of a healthy instance. */
export const shortestMs = 30_000;
const longestMs = idleMs;
/** The longest wait for a recovery chance after chances that failed. */
const longestChanceMs = 300_000;

/** The times of the health checks of one instance. All times are monotonic milliseconds. */
export class CheckTimes {
  readonly #clock: Clock;
  #at: number;
  #wait = soonMs;
  /** A successful check that begins at this time or later clears a breach by the plugin; the wait that led to it. */
  #chance_at = -Infinity;
  #chance_ms = 0;
  /** The time of the last recovery chance. */
  #given = -Infinity;

  constructor(clock: Clock, firstAt: number) {
    this.#clock = clock;
    this.#at = firstAt;
  }

  get due(): boolean {
    return this.#clock.monotonic() >= this.#at;
  }

  /** Starts a check. Returns when. */
  begin(): number {
    const now = this.#clock.monotonic();
    this.#at = now + this.#wait;
    if (this.#wait !== soonMs) this.#wait = Math.min(this.#wait * 2, longestMs);
    if (now < this.#chance_at) this.#at = Math.min(this.#at, this.#chance_at);
    return now;
  }

  /**
   * Whether the success of a check that began at this time clears a breach of contract by the plugin. A breach during
   * the check moves the chance, so the check proves nothing about it.
   */
  isChance(began: number): boolean {
    return began >= this.#chance_at;
  }

  /** The instance answered and has no trouble. */
  well(): void {
    this.#wait = soonMs;
    this.#at = this.#clock.monotonic() + idleMs;
  }

  /** The instance has a trouble that may end. */
  troubled(): void {
    if (this.#wait === soonMs) this.#at = Math.min(this.#at, this.#clock.monotonic() + soonMs);
  }

  /** The plugin broke its contract. Its recovery chance comes later, the sooner after the last chance the later. */
  broken(): void {
    const now = this.#clock.monotonic();
    const inVain = now - this.#given < longestChanceMs;
    this.#chance_ms = inVain ? Math.min(this.#chance_ms * 2, longestChanceMs) : shortestMs;
    this.#chance_at = now + this.#chance_ms;
    this.#at = Math.min(this.#at, this.#chance_at);
  }

  gaveChance(): void {
    this.#given = this.#clock.monotonic();
  }

  unhealthy(): void {
    if (this.#wait !== soonMs) return;
    this.#wait = shortestMs;
    this.#at = this.#clock.monotonic() + shortestMs;
  }

  leaveAlone(ms: number): void {
    this.#at = this.#clock.monotonic() + ms;
  }
}
