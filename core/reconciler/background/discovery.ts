import type { ProviderInstance } from '../../model/provider-instance.ts';
import type { FactRecord } from '../../model/records.ts';
import type { Connected } from '../../providers/guard/session-pool.ts';
import type { BackgroundParts } from './background-parts.ts';
import { Job } from './job.ts';

/** The wait after a failed discovery. */
const againMs = 600_000;

/**
 * Learns the places and machine types of an instance and stores them for all brokers: once for each cloud in use, and
 * again every `discovery_ms`. One broker does it. Unused clouds are not called. The first discovery waits `discovery_first_ms`, so
 * that requests come first.
 */
export class Discovery {
  readonly #parts: BackgroundParts;
  readonly #not_before = new Map<string, number>();
  #running: Promise<void> | undefined;

  constructor(parts: BackgroundParts) {
    this.#parts = parts;
  }

  /** Starts the due discoveries, unless some are running. Does not wait for them. */
  begin(instances: readonly ProviderInstance[]): void {
    if (this.#running) return;
    const due = instances.flatMap(({ name }) => {
      const connected = this.#parts.pool.used(name);
      return connected && this.#isDue(connected) ? [connected] : [];
    });
    if (due.length > 0) this.#running = this.#all(due).finally(() => (this.#running = undefined));
  }

  /** Resolves when no discovery is running. */
  async idle(): Promise<void> {
    await this.#running;
  }

  #isDue({ instance, type, identity }: Connected): boolean {
    if (!type.discovery) return false;
    const { clock, facts, settings } = this.#parts;
    const known = facts.discovery(instance.name);
    if (known?.identity === identity && clock.now() - known.at < settings.discovery_ms) return false;
    const wait = this.#not_before.get(instance.name);
    if (wait === undefined) this.#not_before.set(instance.name, clock.monotonic() + settings.discovery_first_ms);
    return wait !== undefined && clock.monotonic() >= wait;
  }

  async #all(due: readonly Connected[]): Promise<void> {
    const { clock, log, signal } = this.#parts;
    const one = async (connected: Connected): Promise<void> => {
      const { name } = connected.instance;
      if (signal.aborted) return;
      this.#not_before.set(name, clock.monotonic() + againMs);
      try {
        await this.#discovery(connected);
      } catch (error) {
        if (!signal.aborted)
          log.warn(
            { err: error, provider_instance: name },
            'The discovery of the provider instance failed; it will be retried.',
          );
      }
    };
    // An instance that does not answer does not delay the others.
    await Promise.all(due.map(one));
  }

  async #discovery({ instance: { name }, type, identity }: Connected): Promise<void> {
    const { clock, facts, signal, store } = this.#parts;
    const job = new Job(`discovery of '${name}'`, this.#parts);
    const fence = await job.take();
    // The broker that has the job stores what it learns for all.
    if (!fence) return;
    const { places, machine_types } = (await type.discovery?.({ signal })) ?? {};
    const at = clock.now();
    const fact = (topic: string, value: unknown): FactRecord => ({ topic, name, item: '', value, at });
    // The `discovery` fact comes last, because its presence shows that the others are new.
    const learned = [
      ...(places ? [fact('places', places)] : []),
      ...(machine_types ? [fact('machine_types', machine_types)] : []),
      fact('discovery', { identity, at }),
    ];
    await facts.learn(learned, (changes) => store.commit([fence, ...changes]));
    await job.free();
  }
}
