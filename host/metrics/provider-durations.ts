import type { ProviderMeter } from '../../core/providers/guard/meter/provider-meter.ts';
import type { CallTiming } from '../../core/providers/provider-activity.ts';
import { Durations } from './durations.ts';
import { counter, type Family } from './family.ts';

const bounds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Measures calls into provider plugins and calls of plugins to providers, by outcome. */
export class ProviderDurations implements ProviderMeter {
  readonly #verbs = new Durations({
    name: 'muster_plugin_call_duration_seconds',
    help: 'Calls into provider plugins, by verb of the plugin contract; outcome is ok or the kind of the fault.',
    labels: ['provider_instance', 'verb', 'outcome'],
    bounds,
  });
  readonly #calls = new Durations({
    name: 'muster_provider_call_duration_seconds',
    help: 'Calls that plugins made to providers, by action of the provider; outcome is ok or the kind of the fault.',
    labels: ['provider_instance', 'action', 'outcome'],
    // A plugin that names machines in its actions must not use up the series of the other instances.
    mostOfFirst: 200,
    bounds,
  });
  /** By instance, kind and outcome, as JSON. */
  readonly #notices = new Map<string, number>();

  verb(instance: string, verb: string) {
    return (ms: number, kind = 'ok') => this.#verbs.of(instance, verb, kind).add(ms);
  }

  calls(instance: string) {
    return {
      record: ({
        action,
        ms,
        kind = 'ok',
      }: {
        readonly action: string;
        readonly ms: number;
        readonly kind?: string;
      }) => this.#calls.of(instance, action, kind).add(ms),
    };
  }

  notices(instance: string, kind: string, outcome: string, count: number): void {
    const key = JSON.stringify([instance, kind, outcome]);
    this.#notices.set(key, (this.#notices.get(key) ?? 0) + count);
  }

  /** The calls of plugins to providers. */
  timings(): readonly CallTiming[] {
    return this.#calls.entries().map(({ values: [provider_instance = '', action = '', outcome = ''], timing }) => {
      let count = 0;
      const buckets = timing.counts.map((each, index) => {
        count += each;
        const bound = bounds[index];
        return [bound === undefined ? null : bound * 1_000, count] as const;
      });
      return { provider_instance, action, outcome, count, sum_ms: timing.sum * 1_000, buckets };
    });
  }

  families(): readonly Family[] {
    const notices = [...this.#notices].map(([key, count]) => {
      const [provider_instance, kind, outcome] = JSON.parse(key) as [string, string, string];
      return [{ provider_instance, kind, outcome }, count] as const;
    });
    return [
      this.#verbs.family(),
      this.#calls.family(),
      counter(
        'muster_provider_notices_total',
        'Notices of providers about machines, by kind; outcome is stored, unchanged, unknown or malformed.',
        notices,
      ),
    ];
  }
}
