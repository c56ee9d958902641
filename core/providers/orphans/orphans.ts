import type { Clock } from '../../contract/clock.ts';
import { endOrphanTopic, keyOfOrphan, orphansTopic, sweptTopic, type FoundOrphans, type Orphan } from './orphan.ts';
import type { ProviderDirectory } from '../directory.ts';
import type { Facts } from '../facts.ts';

/** An orphan as callers see it. */
export interface KnownOrphan extends Orphan {
  readonly provider_instance: string;
  /** Epoch milliseconds of the last discovery. */
  readonly last_seen: number;
  /** A caller asked to end it. */
  readonly ending: boolean;
}

export const searchStates = ['searched', 'not_yet', 'off', 'not_possible'] as const;

/** How far the search for orphans of an instance is. */
export interface OrphanSearch {
  readonly provider_instance: string;
  /** `not_yet`: not since the brokers started. `off`: as configured. `not_possible`: its provider cannot list. */
  readonly state: (typeof searchStates)[number];
  /** Epoch milliseconds of the start of the last search; it may be one before the brokers started. */
  readonly searched: number | undefined;
}

/** The broker of this process, or what it has of one. */
export interface Own {
  readonly broker_id: string | undefined;
  /** Epoch milliseconds. */
  readonly started: number;
}

/** How long a wish to end an orphan holds. */
const wishMs = 3_600_000;

/** The orphans that discovery found, and the wishes to end them. Calls no provider. */
export class Orphans {
  readonly #facts: Facts;
  readonly #clock: Clock;
  readonly #providers: Pick<ProviderDirectory, 'instances' | 'type'>;
  readonly #own: Own;

  constructor(facts: Facts, clock: Clock, providers: Pick<ProviderDirectory, 'instances' | 'type'>, own: Own) {
    this.#facts = facts;
    this.#clock = clock;
    this.#providers = providers;
    this.#own = own;
  }

  /**
   * When the cloud of each configured instance was searched last. A search before the brokers started counts as none:
   * the storage may have been replaced by a backup since then.
   */
  searches(): readonly OrphanSearch[] {
    const since = this.#brokersStarted();
    return this.#providers.instances.map((instance) => {
      const searched = this.#searched(instance.name);
      const about = { provider_instance: instance.name, searched };
      if (instance.sweep === 'off') return { ...about, state: 'off' };
      if (this.#providers.type(instance)?.owned === undefined) return { ...about, state: 'not_possible' };
      return { ...about, state: searched !== undefined && searched >= since ? 'searched' : 'not_yet' };
    });
  }

  /** One search is for all instances that speak to the same cloud. */
  #searched(name: string): number | undefined {
    const identity = this.#facts.discovery(name)?.identity;
    const times = this.#facts
      .ofTopic(sweptTopic)
      .filter((fact) => fact.name === identity || fact.value === name)
      .map(({ at }) => at);
    return times.length === 0 ? undefined : Math.max(...times);
  }

  /** When the first of the brokers that live started. The stored list of them may be older than this broker. */
  #brokersStarted(): number {
    const { broker_id, started } = this.#own;
    const live = this.#facts.liveBrokers;
    if (!live.some((each) => each.broker_id === broker_id)) return started;
    return Math.min(started, ...live.map((each) => each.started));
  }

  list(): readonly KnownOrphan[] {
    return this.#facts.ofTopic(orphansTopic).flatMap(({ name, value, at }) => {
      const { orphans = [] } = value as Partial<FoundOrphans>;
      return orphans.map((orphan) => ({
        ...orphan,
        provider_instance: name,
        last_seen: at,
        ending: this.#facts.get(endOrphanTopic, name, keyOfOrphan(orphan)) !== undefined,
      }));
    });
  }

  /**
   * Asks discovery to end orphans: it looks again, and ends those that are still orphans. Ignores other ids.
   */
  async end(provider_instance: string, ids: readonly string[]): Promise<readonly KnownOrphan[]> {
    const known = this.list().filter((orphan) => orphan.provider_instance === provider_instance);
    const asked = known.filter(({ id }) => ids.includes(id));
    const at = this.#clock.now();
    if (asked.length > 0)
      await this.#facts.learn(
        asked.map((orphan) => ({
          topic: endOrphanTopic,
          name: provider_instance,
          item: keyOfOrphan(orphan),
          value: true,
          at,
          until: at + wishMs,
        })),
      );
    return asked.map((orphan) => ({ ...orphan, ending: true }));
  }
}
