import { recentlyUsed } from '../../collections/recently-used.ts';
import type { MachineRecord } from '../../model/machine.ts';

/** What a machine, or an order without machines, takes time for. */
export type Phase = 'arrival' | 'boot' | 'shutdown';

/** A range of durations in milliseconds. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The durations of this many changes are remembered for each phase, type and place. */
const remembered = 20;
/** One in so many is ignored at each end: a machine that took unusually long says little about the next one. */
const outlierShare = 10;
const mostKeys = 2_000;

/**
 * How long machines took to arrive, to boot and to shut down, by provider instance, machine type and zone. A duration
 * is known only as the range between two observations. In memory: after a restart it is learned again.
 */
export class Durations {
  readonly #ranges = recentlyUsed<Range[]>(mostKeys);

  learn(phase: Phase, machine: Place, range: Range): void {
    for (const key of keysOf(phase, machine)) {
      const known = this.#ranges.get(key) ?? [];
      this.#ranges.set(key, [...known.slice(1 - remembered), range]);
    }
  }

  /** The range of most changes: of this type and zone, else of all machines of the instance. */
  expected(phase: Phase, machine: Place): Range | undefined {
    for (const key of keysOf(phase, machine)) {
      const known = this.#ranges.get(key);
      if (!known) continue;
      const ignored = Math.floor(known.length / outlierShare);
      const from = known.map((range) => range.from).toSorted((a, b) => a - b)[ignored] ?? 0;
      const to = known.map((range) => range.to).toSorted((a, b) => b - a)[ignored] ?? 0;
      return { from, to: Math.max(from, to) };
    }
    return undefined;
  }
}

type Place = Pick<MachineRecord, 'provider_instance' | 'machine_type' | 'zone'>;

/** The exact key first, then the key of all machines of the instance. */
const keysOf = (phase: Phase, { provider_instance, machine_type = '', zone = '' }: Place): readonly string[] => [
  JSON.stringify([phase, provider_instance, machine_type, zone]),
  JSON.stringify([phase, provider_instance]),
];
