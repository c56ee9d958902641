import assert from 'node:assert/strict';
import { setTimeout as after } from 'node:timers/promises';
import { isFault } from '../../../core/index.ts';
import { formatValue } from '../answers/format.ts';
import { delivered, outcomeOf, type Outcome } from '../answers/outcome.ts';
import type { ProviderKit, ProviderWorld } from '../provider-kit.ts';

/** Whether the outcome is final, that is, not a retryable fault. */
export const isFinal = (outcome: Outcome<unknown>): boolean =>
  outcome.kind !== 'fault' || (outcome.fault.kind !== 'unavailable' && outcome.fault.kind !== 'throttled');

/** Minimum number of rounds in which an awaited value is read. */
const mostRounds = 60;

/** The time of a world: waits until an expected state is reached, by `settle` or by real time. */
export class WorldTime<World extends ProviderWorld = any> {
  readonly #kit: Pick<ProviderKit<World>, 'settle' | 'patience_ms'>;
  readonly #world: World;

  constructor(kit: Pick<ProviderKit<World>, 'settle' | 'patience_ms'>, world: World) {
    this.#kit = kit;
    this.#world = world;
  }

  /** Reads, and advances the world, until the value is `enough` or `patience_ms` is over; returns the last value. */
  async until<T>(read: () => Promise<T>, enough: (value: T) => boolean): Promise<T> {
    const { settle, patience_ms = 10_000 } = this.#kit;
    // A world with `settle` gets a number of steps; otherwise the time limit applies.
    const end = settle ? 0 : performance.now() + patience_ms;
    for (let round = 0; ; round += 1) {
      const value = await read();
      if (enough(value) || (round >= mostRounds && performance.now() > end)) return value;
      await this.pass(Math.min(250, 20 + round * 10));
    }
  }

  /** Repeats a call while it ends in a retryable fault; returns its outcome. */
  untilFinal<T>(call: () => Promise<T>): Promise<Outcome<T>> {
    return this.until(() => outcomeOf(call), isFinal);
  }

  /** Lets time pass in the world. */
  async pass(ms = 50): Promise<void> {
    const { settle } = this.#kit;
    if (settle) await settle(this.#world);
    else await after(ms);
  }

  /** Waits long enough for pending machines to arrive. */
  async quiet(): Promise<void> {
    for (let round = 0; round < 5; round += 1) {
      await this.pass(40);
      await after(2);
    }
  }

  /** Repeats a call until it is done. Retryable faults are retried; any other error fails the check. */
  async untilDone(
    verb: string,
    say: () => Promise<{ readonly done: boolean; readonly again_ms?: number } | undefined>,
  ): Promise<void> {
    let last = '';
    await this.until(
      async () => {
        try {
          const progress = await say();
          assert.ok(
            typeof progress?.done === 'boolean',
            `${verb} must return {done}, but returned ${formatValue(progress)}.`,
          );
          last = progress.done ? '' : 'done: false';
        } catch (error) {
          if (!isFault(error) || (error.kind !== 'unavailable' && error.kind !== 'throttled'))
            await delivered(verb, () => Promise.reject(error));
          last = (error as Error).message;
        }
      },
      () => last === '',
    );
    assert.ok(
      last === '',
      `${verb} must end: the release of a machine that is already gone is a success. Its last result: ${last}.`,
    );
  }
}
