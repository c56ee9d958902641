import type { Clock } from '../../contract/clock.ts';

/** One that has not answered for so long is asked whether it does. */
const idleMs = 120_000;
/** So soon one that fell silent is asked again, until it is unhealthy. */
const soonMs = 5_000;
/** One that is unhealthy is asked after this time, then half as often each time, but no less often than one that is well. */
export const shortestMs = 30_000;
const longestMs = idleMs;
/** The longest wait for a chance, where the ones before were in vain. */
const longestChanceMs = 300_000;

/** When one instance is asked whether it answers. All times are monotonic. */
export class AskTimes {
  readonly #clock: Clock;
  #at: number;
  #wait = soonMs;
  /** From when on a check that succeeds makes good what its plugin did wrong, and how long that took to come. */
  #chance_at = -Infinity;
  #chance_ms = 0;
  /** When a chance was last given. */
  #given = -Infinity;

  constructor(clock: Clock, firstAt: number) {
    this.#clock = clock;
    this.#at = firstAt;
  }

  get due(): boolean {
    return this.#clock.monotonic() >= this.#at;
  }

  /** It is asked now. Whether a success makes good what its plugin did wrong. */
  begin(): boolean {
    const now = this.#clock.monotonic();
    this.#at = now + this.#wait;
    if (this.#wait !== soonMs) this.#wait = Math.min(this.#wait * 2, longestMs);
    if (now >= this.#chance_at) return true;
    this.#at = Math.min(this.#at, this.#chance_at);
    return false;
  }

  /** It answered, and nothing is against it. */
  well(): void {
    this.#wait = soonMs;
    this.#at = this.#clock.monotonic() + idleMs;
  }

  /** Something is against it that may pass. */
  troubled(): void {
    if (this.#wait === soonMs) this.#at = Math.min(this.#at, this.#clock.monotonic() + soonMs);
  }

  /** Its plugin broke its contract: it gets a chance later, the later the sooner after the last one. */
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
