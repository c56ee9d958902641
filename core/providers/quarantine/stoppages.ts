import type { Clock } from '../../contract/clock.ts';
import type { CalledFor } from '../guard/called-for.ts';
import type { Quarantined } from './quarantine.ts';
import type { Store } from '../../contract/storage.ts';

/** A call for a request that blocked or ended the loop thread. */
export interface Stoppage extends CalledFor {
  readonly instance: string;
  /** The cause, as a sentence. */
  readonly why: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Milliseconds for which requests of the template are not served at the instance. */
  readonly ms: number;
}

interface StoredStoppages {
  readonly template_id: string;
  /** The version of the plugins of the instance. Another version gets a new trial. */
  readonly plugins?: string;
  readonly times: number;
  readonly why: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly left_alone_until: number;
}

const topic = 'stoppage';
/** How long counts are stored: the longest time that a request may wait. */
const keptMs = 7 * 86_400_000;
/** After this number of stoppages no further call is made for the request at the instance. */
const maxStoppages = 2;

/**
 * Counts, by instance, the requests whose calls stopped the loop thread. The counts are stored, so that they survive
 * restarts.
 */
export class Stoppages {
  readonly #excluded = new Map<string, Map<string, string>>();
  readonly #quarantined: Quarantined[] = [];

  /**
   * Stores the latest stoppages, each of which increases a count, and reads all stored counts. `pluginsOf`: the version
   * of the plugins of an instance; counts of another version do not hold.
   */
  static async open(
    store: Store,
    clock: Clock,
    latest: readonly Stoppage[] = [],
    pluginsOf: (instance: string) => string | undefined = () => undefined,
  ): Promise<Stoppages> {
    const known = new Map<string, StoredStoppages>();
    for (const { name, item, value } of await store.find('fact', { where: { topic } })) {
      const stored = value as StoredStoppages;
      if (stored.plugins === pluginsOf(name)) known.set(`${name}\n${item}`, stored);
    }
    for (const { instance, request_id, template_id, why, at, ms } of latest) {
      const key = `${instance}\n${request_id}`;
      const before = known.get(key);
      // A thread that ended during its start may already have stored this stoppage.
      if (before?.at === at) continue;
      const plugins = pluginsOf(instance);
      const value: StoredStoppages = {
        template_id,
        ...(plugins === undefined ? {} : { plugins }),
        times: (before?.times ?? 0) + 1,
        why,
        at,
        left_alone_until: at + ms,
      };
      await store.commit([
        {
          op: 'put',
          kind: 'fact',
          record: { topic, name: instance, item: request_id, value, at, until: at + keptMs },
        },
      ]);
      known.set(key, value);
    }
    const stoppages = new Stoppages();
    for (const [key, kept] of known) stoppages.#take(key, kept, clock.now());
    return stoppages;
  }

  /** Templates whose requests are not served yet. */
  get quarantined(): readonly Quarantined[] {
    return this.#quarantined;
  }

  /** The instances at which no further call is made for a request, each with the reason. */
  excludedFor(request_id: string): ReadonlyMap<string, string> {
    return this.#excluded.get(request_id) ?? noInstances;
  }

  #take(key: string, { template_id, times, why, left_alone_until }: StoredStoppages, now: number): void {
    const [instance = '', request_id = ''] = key.split('\n');
    // If the clock was set back since then, the rest must not exceed the retention time.
    const ms = Math.min(left_alone_until - now, keptMs);
    if (ms > 0) this.#quarantined.push({ name: instance, template_id, ms, why });
    if (times < maxStoppages) return;
    const excluded = this.#excluded.get(request_id) ?? new Map<string, string>();
    this.#excluded.set(
      request_id,
      excluded.set(instance, `Calls for this request stopped the loop thread ${times} times. ${why}`),
    );
  }
}

const noInstances: ReadonlyMap<string, string> = new Map();
