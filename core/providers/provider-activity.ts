import type { FaultKind } from '../contract/fault.ts';
import type { ProviderState } from '../contract/provider/provider-state.ts';
import type { Pauses } from './quarantine/quarantine.ts';

/** How long the calls of one action to the provider of an instance took, and how they ended, since the loop began. */
export interface CallTiming {
  readonly provider_instance: string;
  /** In the provider's own words: `RunInstances`. */
  readonly action: string;
  readonly outcome: 'ok' | FaultKind | (string & {});
  readonly count: number;
  readonly sum_ms: number;
  /** How many calls took at most so long, rising; the last one has no bound. */
  readonly buckets: readonly (readonly [le_ms: number | null, count: number])[];
}

/** How a provider instance stands now in the loop. */
export interface InstanceState extends Pauses {
  readonly provider_instance: string;
  /** What its session says of itself. Absent: it is not connected, or its plugin says nothing. */
  readonly session?: ProviderState;
}

/** Asks the loop of this broker, in whatever process it runs, about its provider instances. */
export interface ProviderActivity {
  /** What it did with them. Undefined: the loop did not answer. */
  calls(): Promise<readonly CallTiming[] | undefined>;
  /** How they stand. Undefined: the loop did not answer. */
  states(): Promise<readonly InstanceState[] | undefined>;
}

/** For a process without a loop: it calls no provider. */
export const noActivity: ProviderActivity = { calls: async () => [], states: async () => [] };

/**
 * The time within which a share of the calls ended, in milliseconds: read off the buckets, between whose bounds calls
 * count as evenly spread. Undefined without calls.
 */
export function quantileOf(timings: readonly CallTiming[], share: number): number | undefined {
  const total = timings.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return undefined;
  const bounds = timings[0]?.buckets.map(([le]) => le) ?? [];
  const counts = bounds.map((_, index) => timings.reduce((sum, { buckets }) => sum + (buckets[index]?.[1] ?? 0), 0));
  const wanted = share * total;
  const index = counts.findIndex((count) => count >= wanted);
  const [below, from] = index <= 0 ? [0, 0] : [counts[index - 1] as number, bounds[index - 1] ?? 0];
  const to = bounds[index] ?? null;
  // Beyond the last bound nothing is known but that it took longer.
  if (to === null) return from;
  const within = (counts[index] as number) - below;
  return within === 0 ? to : from + ((to - from) * (wanted - below)) / within;
}
