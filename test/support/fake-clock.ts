import { turn } from '../../core/collections/turn.ts';
import type { Clock } from '../../core/index.ts';

const longestTimerMs = 2 ** 31 - 1;

interface Sleeper {
  readonly at: number;
  wake(): void;
}

/**
 * A clock that a test moves. Time passes only in `advance`, from sleeper to sleeper, with turns of the event loop in
 * between.
 */
export class FakeClock implements Clock {
  #now = Date.parse('2026-01-01T00:00:00Z');
  /** As that of a computer is: no whole number. */
  #monotonic = 1_000_000.37;
  readonly #sleepers = new Set<Sleeper>();
  /** How often something slept. */
  sleeps = 0;

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  /** As a timer of Node, it ends at once when it is set to more than 24 days. */
  sleep(given: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    this.sleeps += 1;
    const ms = given > longestTimerMs ? 1 : given;
    return new Promise((resolve) => {
      const sleeper: Sleeper = {
        at: this.#monotonic + Math.max(0, ms),
        wake: () => {
          this.#sleepers.delete(sleeper);
          signal?.removeEventListener('abort', sleeper.wake);
          resolve();
        },
      };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', sleeper.wake, { once: true });
    });
  }

  /** Lets `ms` pass, waking every sleeper in its order. */
  async advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    await settle();
    for (;;) {
      const next = this.#next();
      if (!next || next.at > end) break;
      this.#pass(next.at - this.#monotonic);
      next.wake();
      await settle();
    }
    this.#pass(end - this.#monotonic);
    await settle();
  }

  /** The sleeper that wakes first; of several, the one that sleeps longest. */
  #next(): Sleeper | undefined {
    let next: Sleeper | undefined;
    for (const each of this.#sleepers) if (!next || each.at < next.at) next = each;
    return next;
  }

  /** Moves the wall clock alone, as an operator or a time server does. */
  jump(ms: number): void {
    this.#now += ms;
  }

  /** The host is suspended: the wall clock goes on, the monotonic one stands still. */
  suspend(ms: number): void {
    this.#now += ms;
  }

  #pass(ms: number): void {
    this.#now += Math.max(0, ms);
    this.#monotonic += Math.max(0, ms);
  }
}

/** Enough turns for what was woken to come to its next sleep. */
async function settle(): Promise<void> {
  for (let i = 0; i < 8; i++) await turn();
}
