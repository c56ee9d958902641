import type { AttemptRecord } from '../../model/attempt.ts';
import type { Clock } from '../../contract/clock.ts';
import type { RequestState } from '../state/request-state.ts';

/** The number of common times in each interval. */
const slots = 5;
/** How long the machines of each slot are not counted again. */
const countedForMs = 1_000;

type Held = { readonly state: RequestState };

/**
 * Spreads the rare observations of machines at rest over the interval between them: each attempt gets one of a few
 * common times, so that calls are shared and no minute has them all. An attempt keeps its slot while its request is
 * held; new ones get the slot with the fewest machines of their instance.
 */
export class RestingSlots {
  readonly #clock: Clock;
  readonly #held: () => Iterable<Held>;
  /** By request and number of the attempt. */
  readonly #slots = new WeakMap<Held, Map<number, number>>();
  /** By instance: the machines of each slot, with the monotonic time of the count. */
  readonly #loads = new Map<string, { readonly at: number; readonly machines: number[] }>();

  /** `held` lists the requests of this process. */
  constructor(clock: Clock, held: () => Iterable<Held>) {
    this.#clock = clock;
    this.#held = held;
  }

  /** By how many milliseconds the common times of an attempt follow the multiples of `interval`. */
  offsetOf(held: Held, attempt: AttemptRecord, interval: number): number {
    return (this.#slotOf(held, attempt) * interval) / slots;
  }

  #slotOf(held: Held, { attempt, provider_instance }: AttemptRecord): number {
    const mine = this.#slots.get(held) ?? new Map<number, number>();
    this.#slots.set(held, mine);
    const known = mine.get(attempt);
    if (known !== undefined) return known;
    const machines = this.#machinesAt(provider_instance);
    const slot = machines.indexOf(Math.min(...machines));
    machines[slot] = (machines[slot] ?? 0) + held.state.machines.counts(attempt).alive;
    mine.set(attempt, slot);
    return slot;
  }

  #machinesAt(instance: string): number[] {
    const now = this.#clock.monotonic();
    const known = this.#loads.get(instance);
    if (known && now - known.at < countedForMs) return known.machines;
    const machines = Array.from({ length: slots }, () => 0);
    for (const held of this.#held())
      for (const [attempt, slot] of this.#slots.get(held) ?? [])
        if (held.state.attempts.find((each) => each.attempt === attempt)?.provider_instance === instance)
          machines[slot] = (machines[slot] ?? 0) + held.state.machines.counts(attempt).alive;
    this.#loads.set(instance, { at: now, machines });
    return machines;
  }
}
