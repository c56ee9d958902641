import { chunks } from '../../collections/chunks.ts';
import { queryInParts } from '../../collections/query-in-parts.ts';
import type { Clock } from '../../contract/clock.ts';
import type { FactRecord } from '../../model/records.ts';
import type { HostRef } from '../../contract/provider/resources.ts';
import { answeredTopic, askedTopic, heldMs, itemOf, type UnknownHostAnswer } from '../unknown-host-facts.ts';
import type { Store } from '../../contract/storage.ts';

/** A fact that is older is queried again. Until the new answer is stored, the old one is used. */
const freshMs = 60_000;
const rowsAtOnce = 200;
/** The most hosts of one call. A caller with more unknown hosts uses the wrong broker. */
const mostAtOnce = 2_000;

/** The interfaces' view of unknown hosts: they read stored answers and trigger the loop to ask the providers. */
export class UnknownHosts {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * The hosts that are known to be gone. For hosts without a recent answer the loop is triggered to ask the provider;
   * the next call has the answer.
   */
  async gone(hosts: readonly HostRef[], instance = ''): Promise<readonly HostRef[]> {
    const byItem = new Map(hosts.slice(0, mostAtOnce).map((host) => [itemOf(host), host]));
    if (byItem.size === 0) return [];
    const now = this.#clock.now();
    const [answers, asked] = await Promise.all([
      this.#facts(answeredTopic, instance, [...byItem.keys()]),
      this.#facts(askedTopic, instance, [...byItem.keys()]),
    ]);
    const stale = [...byItem.keys()].filter(
      (item) => !asked.has(item) && (answers.get(item)?.at ?? -Infinity) + freshMs < now,
    );
    const questions = stale.map(
      (item): FactRecord => ({ topic: askedTopic, name: instance, item, value: {}, at: now, until: now + heldMs }),
    );
    for (const part of chunks(questions, rowsAtOnce))
      await this.#store.commit(part.map((record) => ({ op: 'put', kind: 'fact', record })));
    return [...byItem].flatMap(([item, host]) =>
      (answers.get(item)?.value as UnknownHostAnswer | undefined)?.lives === false ? [host] : [],
    );
  }

  async #facts(topic: string, name: string, items: readonly string[]): Promise<ReadonlyMap<string, FactRecord>> {
    const facts = await queryInParts(items, (item) => this.#store.find('fact', { where: { topic, name, item } }));
    const now = this.#clock.now();
    return new Map(facts.flatMap((fact) => ((fact.until ?? Infinity) > now ? [[fact.item, fact]] : [])));
  }
}
