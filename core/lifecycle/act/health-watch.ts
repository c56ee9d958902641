import type { Clock } from '../../clock.ts';
import { isFault } from '../../fault.ts';
import type { Log } from '../../log.ts';
import type { ProviderInstance } from '../../model/provider-instance.ts';
import { pluginOf } from '../../plugin-of.ts';
import type { Facts } from '../../providers/facts.ts';
import { guard } from '../../providers/guard.ts';
import { unmetered, type ProviderMeter } from '../../providers/provider-meter.ts';
import type { SessionPool } from '../../providers/session-pool.ts';

const firstMs = 30_000;
const longestMs = 300_000;

/**
 * Keeps what is known of the instances' health: calls tell when one fails, and a check, ever less often, when it answers again. One whose plugin breaks its
 * contract in some verb is unhealthy until that verb is answered well; when nothing calls it meanwhile, a check that succeeds gives it another chance,
 * the later the more often that was for nothing.
 */
export class HealthWatch {
  readonly #facts: Facts;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #meter: () => ProviderMeter;
  readonly #checks = new Map<string, { at: number; wait: number }>();
  /** Verbs that broke their contract last, by instance. */
  readonly #broken = new Map<string, Set<string>>();
  /** When a chance was given last, and after how long. */
  readonly #chances = new Map<string, { readonly at: number; readonly wait: number }>();

  constructor(facts: Facts, clock: Clock, log: Log, meter: () => ProviderMeter = () => unmetered) {
    this.#facts = facts;
    this.#clock = clock;
    this.#log = log;
    this.#meter = meter;
  }

  up(instance: string): void {
    if (this.#broken.has(instance)) return;
    this.#checks.delete(instance);
    if (this.#facts.health(instance).healthy) return;
    this.#log.info({ provider_instance: instance }, 'The provider instance answers again.');
    this.#write(instance, { healthy: true });
  }

  down(instance: string, message: string, wait = firstMs): void {
    if (!this.#checks.has(instance)) this.#checks.set(instance, { at: this.#clock.monotonic() + wait, wait });
    const known = this.#facts.health(instance);
    if (!known.healthy && known.message === message) return;
    this.#log.warn({ provider_instance: instance }, `The provider instance is unhealthy: ${message}`);
    this.#write(instance, { healthy: false, message });
  }

  /** Its plugin gave nonsense, threw what is no fault, or did not end in time. */
  misbehaved(instance: string, verb: string, message: string): void {
    const broken = this.#broken.get(instance) ?? new Set();
    this.#broken.set(instance, broken.add(verb));
    const chance = this.#chances.get(instance);
    const inVain = chance !== undefined && this.#clock.monotonic() - chance.at < longestMs;
    this.down(instance, message, inVain ? Math.min(chance.wait * 2, longestMs) : firstMs);
  }

  /** The verb was answered as its contract says; `well`: and not with a fault. */
  behaved(instance: string, verb: string, well: boolean): void {
    const broken = this.#broken.get(instance);
    if (!broken?.delete(verb) || broken.size > 0) return;
    this.#broken.delete(instance);
    if (well) this.up(instance);
  }

  /** Asks the instances that are due. */
  async check(instances: readonly ProviderInstance[], pool: SessionPool, signal: AbortSignal): Promise<void> {
    for (const { name } of instances) {
      // One that an earlier process found unhealthy is asked at once.
      const due = this.#checks.get(name) ?? (this.#facts.health(name).healthy ? undefined : { at: 0, wait: firstMs / 2 });
      const now = this.#clock.monotonic();
      if (!due || due.at > now) continue;
      const wait = Math.min(due.wait * 2, longestMs);
      this.#checks.set(name, { at: now + wait, wait });
      try {
        const { session, type } = await pool.connect(name);
        const about = { what: `check of '${name}'`, plugin: pluginOf(type), ended: this.#meter().verb(name, 'check') };
        const guarded = { ...about, mutating: false, timeout_ms: 15_000, signal, fence: () => undefined, log: this.#log };
        await guard(guarded, async (call) => type.check?.(session, call));
        if (this.#broken.delete(name)) this.#chances.set(name, { at: this.#clock.monotonic(), wait: due.wait });
        this.up(name);
      } catch (error) {
        if (isFault(error) && error.code === 'QUARANTINED')
          this.#checks.set(name, { at: now + (error.retry_after_ms ?? wait), wait: due.wait });
        this.down(name, error instanceof Error ? error.message : 'it does not answer');
      }
    }
  }

  #write(name: string, value: { healthy: boolean; message?: string }): void {
    const learning = this.#facts.learn([{ topic: 'health', name, item: '', value, at: this.#clock.now() }]);
    learning.catch((error: unknown) => this.#log.warn({ err: error }, 'The health of an instance could not be stored.'));
  }
}
