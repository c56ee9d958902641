import type { Clock } from '../../contract/clock.ts';
import { ProviderFault } from '../../contract/fault.ts';

/** An instance whose plugin stopped the loop thread. Calls to it are paused for some time. */
export interface Quarantined {
  readonly name: string;
  /** The template whose requests are not served; absent: calls for all requests are paused. */
  readonly template_id?: string;
  /** The duration from the start of this loop. */
  readonly ms: number;
  readonly why: string;
}

/** The instances to which calls are paused, as known at the start of the loop. */
export class Quarantine {
  readonly #clock: Clock;
  readonly #paused: ReadonlyMap<string, { readonly until: number; readonly why: string }>;

  constructor(clock: Clock, quarantined: readonly Quarantined[]) {
    this.#clock = clock;
    const now = clock.monotonic();
    this.#paused = new Map(
      quarantined
        .toSorted((a, b) => a.ms - b.ms)
        .map(({ name, template_id, ms, why }) => [keyOf(name, template_id), { until: now + ms, why }]),
    );
  }

  /**
   * Why calls to an instance are paused, including all other calls to its plugin for the instance. With a template:
   * why calls for requests of this template are paused. Undefined: they are not.
   */
  of(name: string, template_id?: string): ProviderFault | undefined {
    const whole = template_id === undefined ? undefined : this.of(name);
    if (whole) return whole;
    const paused = this.#paused.get(keyOf(name, template_id));
    const left = (paused?.until ?? 0) - this.#clock.monotonic();
    if (!paused || left <= 0) return undefined;
    return new ProviderFault('unavailable', paused.why, { code: 'QUARANTINED', retry_after_ms: left });
  }
}

const keyOf = (name: string, template_id: string | undefined): string =>
  template_id === undefined ? name : `${name}\n${template_id}`;
