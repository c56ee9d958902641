import type { Clock } from '../contract/clock.ts';
import type { ServedInstance } from '../model/broker.ts';
import type { FactRecord } from '../model/records.ts';
import { holds, type KnownFacts } from './known-facts.ts';

/** An instance as a broker that has it describes it. */
export type DescribedInstance = Pick<ServedInstance, 'name' | 'type'> & Required<Pick<ServedInstance, 'terms'>>;

interface Lately {
  readonly changes: number;
  readonly at: number;
  readonly instances: readonly DescribedInstance[];
  /** The names of the instances of each place. */
  readonly together: readonly ReadonlySet<string>[];
}

/**
 * How long a request waits for an instance that it was not accepted for: a broker that restarts is back by then. One
 * that comes back under another name, as a container does, is not known to be the same.
 */
const absentMs = 600_000;
/** How long what is known of it is not looked up again while no fact changes. */
const latelyKnownMs = 5_000;

/**
 * How long after its end a broker is expected to come back with the instance that a request was accepted for: an
 * hour, and the time between two commits of what it has.
 */
const servedKeptMs = 3_720_000;
const servedEveryMs = 120_000;

/** The facts about which instances each broker has, or had lately: brokers restart. */
export class ServedFacts {
  readonly #known: KnownFacts;
  readonly #clock: Clock;
  #lately: Lately | undefined;

  constructor(known: KnownFacts, clock: Clock) {
    this.#known = known;
    this.#clock = clock;
  }

  /**
   * Whether a broker had the instance in its configuration within about the last hour. `accepted_at`: when a request
   * for the instance was accepted. A broker accepts requests a moment before it has stored what it has, and may end
   * between.
   */
  wasServed(instance: string, accepted_at: number): boolean {
    const now = this.#clock.now();
    let ended_at = -Infinity;
    for (const fact of this.#known.of('served')) {
      if (fact.name !== instance) continue;
      if (holds(fact, now)) return true;
      ended_at = Math.max(ended_at, fact.until ?? -Infinity);
    }
    return accepted_at > ended_at && now - accepted_at < servedKeptMs;
  }

  /** The instances that brokers had within the last ten minutes. The same list while nothing changes. */
  get lately(): readonly DescribedInstance[] {
    return this.#ofLately().instances;
  }

  /** Whether one broker had all these instances within the last ten minutes. */
  wereTogether(instances: readonly string[]): boolean {
    return this.#ofLately().together.some((names) => instances.every((name) => names.has(name)));
  }

  #ofLately(): Lately {
    const now = this.#clock.now();
    const known = this.#lately;
    if (known?.changes === this.#known.changes && now >= known.at && now - known.at < latelyKnownMs) return known;
    const together = new Map<string, Set<string>>();
    const latest = new Map<string, FactRecord>();
    for (const fact of this.#known.of('served')) {
      if (!holds(fact, now) || now - fact.at >= absentMs) continue;
      together.set(fact.item, (together.get(fact.item) ?? new Set()).add(fact.name));
      // An older muster stores no description.
      if (fact.value !== null && fact.at > (latest.get(fact.name)?.at ?? -Infinity)) latest.set(fact.name, fact);
    }
    const found = [...latest].map(([name, { value }]) => ({ ...(value as Omit<DescribedInstance, 'name'>), name }));
    const isSame = known !== undefined && JSON.stringify(found) === JSON.stringify(known.instances);
    const instances = isSame ? known.instances : found;
    return (this.#lately = { changes: this.#known.changes, at: now, instances, together: [...together.values()] });
  }

  /** The facts that change when the broker at a place has these instances. Cheap while nothing changes. */
  news(place: string, instances: readonly DescribedInstance[]): FactRecord[] {
    const at = this.#clock.now();
    const kept = new Map(
      [...this.#known.of('served')].flatMap((fact) =>
        fact.item === place && holds(fact, at) ? [[fact.name, fact]] : [],
      ),
    );
    const names = new Set(instances.map(({ name }) => name));
    const fact = { topic: 'served', item: place, at };
    return [
      ...[...kept.keys()].flatMap((name) => (names.has(name) ? [] : [{ ...fact, name, value: null, until: at }])),
      ...instances.flatMap(({ name, type, terms }) => {
        const before = kept.get(name);
        const value = { type, terms };
        const isYoung = before !== undefined && at - before.at < servedEveryMs;
        if (isYoung && JSON.stringify(before.value) === JSON.stringify(value)) return [];
        return [{ ...fact, name, value, until: at + servedKeptMs }];
      }),
    ];
  }
}
