import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import type { ProviderInstance } from '../../model/provider-instance.ts';
import type { Facts } from '../../providers/facts.ts';
import { guard } from '../../providers/guard.ts';
import { unmetered, type ProviderMeter } from '../../providers/provider-meter.ts';
import type { SessionPool } from '../../providers/session-pool.ts';
import type { Store } from '../../storage.ts';

const firstMs = 30_000;
const longestMs = 300_000;

/** Keeps what is known of the instances' health: calls tell when one fails, and a check, ever less often, when it answers again. */
export class HealthWatch {
  readonly #facts: Facts;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #meter: ProviderMeter;
  readonly #checks = new Map<string, { at: number; wait: number }>();

  constructor(facts: Facts, store: Store, clock: Clock, log: Log, meter: ProviderMeter = unmetered) {
    this.#facts = facts;
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#meter = meter;
  }

  up(instance: string): void {
    this.#checks.delete(instance);
    if (this.#facts.health(instance).healthy) return;
    this.#log.info({ provider_instance: instance }, 'The provider instance answers again.');
    this.#write(instance, { healthy: true });
  }

  down(instance: string, message: string): void {
    if (!this.#checks.has(instance)) this.#checks.set(instance, { at: this.#clock.monotonic() + firstMs, wait: firstMs });
    const known = this.#facts.health(instance);
    if (!known.healthy && known.message === message) return;
    this.#log.warn({ provider_instance: instance }, `The provider instance is unhealthy: ${message}`);
    this.#write(instance, { healthy: false, message });
  }

  /** Asks the instances that are due. */
  async check(instances: readonly ProviderInstance[], pool: SessionPool, signal: AbortSignal): Promise<void> {
    for (const { name } of instances) {
      // One that an earlier process found unhealthy is asked at once.
      const due = this.#checks.get(name) ?? (this.#facts.health(name).healthy ? undefined : { at: 0, wait: firstMs / 2 });
      if (!due || due.at > this.#clock.monotonic()) continue;
      const wait = Math.min(due.wait * 2, longestMs);
      this.#checks.set(name, { at: this.#clock.monotonic() + wait, wait });
      try {
        const { session, type } = await pool.connect(name);
        const guarded = { what: `check of '${name}'`, mutating: false, timeout_ms: 15_000, signal, fence: () => undefined, log: this.#log };
        await guard({ ...guarded, ended: this.#meter.verb(name, 'check') }, async (call) => type.check?.(session, call));
        this.up(name);
      } catch (error) {
        this.down(name, error instanceof Error ? error.message : 'it does not answer');
      }
    }
  }

  #write(name: string, value: { healthy: boolean; message?: string }): void {
    const changes = this.#facts.learn([{ topic: 'health', name, item: '', value, at: this.#clock.now() }]);
    this.#store.commit(changes).catch((error: unknown) => this.#log.warn({ err: error }, 'The health of an instance could not be stored.'));
  }
}
