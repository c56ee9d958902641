import type { Clock } from '../../../contract/clock.ts';
import type { Log } from '../../../contract/log.ts';
import type { ProviderMeter } from '../../../providers/guard/meter/provider-meter.ts';
import type { AnnouncedEnd } from '../../state/request-state.ts';

/** The shortest time between two warnings about one instance. */
const warningMs = 60_000;

/** Counts notices that the provider contradicts, and warns about them. */
export class RefutedNotices {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #meter: ProviderMeter;
  /** Monotonic milliseconds of the last warning about each instance. */
  readonly #warned = new Map<string, number>();

  constructor(clock: Clock, log: Log, meter: ProviderMeter) {
    this.#clock = clock;
    this.#log = log;
    this.#meter = meter;
  }

  add(refuted: readonly AnnouncedEnd[]): void {
    for (const [name, mine] of Map.groupBy(refuted, ({ machine }) => machine.provider_instance)) {
      this.#meter.notices(name, 'state', 'refuted', mine.length);
      const now = this.#clock.monotonic();
      const [first] = mine;
      if (!first || now - (this.#warned.get(name) ?? -Infinity) < warningMs) continue;
      this.#warned.set(name, now);
      this.#log.warn(
        { provider_instance: name },
        `A notice said that machine ${first.machine.machine_id} of '${name}' is ${first.status}, and the provider shows for a minute that it is not. Such notices have no effect. Check who may write to the source of notices.`,
      );
    }
  }
}
