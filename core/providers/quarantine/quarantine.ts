import { Type, type Static } from 'typebox';
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

interface Paused extends Omit<Quarantined, 'ms'> {
  /** On the monotonic clock. */
  readonly until: number;
}

/** A pause of calls. */
export const Pause = Type.Object({
  why: Type.String({ description: 'As a sentence.' }),
  until: Type.String({ format: 'date-time', description: 'When calls are made again.' }),
});
export type Pause = Static<typeof Pause>;

/** The pauses of one instance that have not ended. */
export interface Pauses {
  /** Of all calls. */
  readonly quarantine?: Pause;
  /** Of calls for requests of a template. */
  readonly quarantined_templates: readonly (Pause & { readonly template_id: string })[];
}

/** The instances to which calls are paused, as known at the start of the loop. */
export class Quarantine {
  readonly #clock: Clock;
  readonly #paused: ReadonlyMap<string, Paused>;

  constructor(clock: Clock, quarantined: readonly Quarantined[]) {
    this.#clock = clock;
    const now = clock.monotonic();
    this.#paused = new Map(
      quarantined
        .toSorted((a, b) => a.ms - b.ms)
        .map(({ ms, ...paused }) => [keyOf(paused.name, paused.template_id), { ...paused, until: now + ms }]),
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
    const left = this.#left(paused);
    if (!paused || left <= 0) return undefined;
    return new ProviderFault('unavailable', paused.why, { code: 'QUARANTINED', retry_after_ms: left });
  }

  pauses(name: string): Pauses {
    const all = [...this.#paused.values()].filter((paused) => paused.name === name && this.#left(paused) > 0);
    const whole = all.find(({ template_id }) => template_id === undefined);
    return {
      ...(whole ? { quarantine: this.#pauseOf(whole) } : {}),
      quarantined_templates: all.flatMap((paused) =>
        paused.template_id === undefined ? [] : [{ template_id: paused.template_id, ...this.#pauseOf(paused) }],
      ),
    };
  }

  #left(paused: Paused | undefined): number {
    return (paused?.until ?? 0) - this.#clock.monotonic();
  }

  #pauseOf(paused: Paused): Pause {
    return { why: paused.why, until: new Date(this.#clock.now() + this.#left(paused)).toISOString() };
  }
}

const keyOf = (name: string, template_id: string | undefined): string =>
  template_id === undefined ? name : `${name}\n${template_id}`;
