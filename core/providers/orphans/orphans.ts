import type { Clock } from '../../contract/clock.ts';
import { endOrphanTopic, keyOfOrphan, orphansTopic, type FoundOrphans, type Orphan } from './orphan.ts';
import type { Facts } from '../facts.ts';

/** An orphan as callers see it. */
export interface KnownOrphan extends Orphan {
  readonly provider_instance: string;
  /** Epoch milliseconds of the last discovery. */
  readonly last_seen: number;
  /** A caller asked to end it. */
  readonly ending: boolean;
}

/** How long a wish to end an orphan holds. */
const wishMs = 3_600_000;

/** The orphans that discovery found, and the wishes to end them. Calls no provider. */
export class Orphans {
  readonly #facts: Facts;
  readonly #clock: Clock;

  constructor(facts: Facts, clock: Clock) {
    this.#facts = facts;
    this.#clock = clock;
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
