import type { Clock } from '../clock.ts';
import type { FactRecord } from '../model/records.ts';
import type { Shortfall } from '../model/shortfall.ts';
import type { Change, Store } from '../storage.ts';

/** Whether an instance answers, as the loop last found it. */
export interface Health {
  readonly healthy: boolean;
  readonly message?: string;
}

/** What the loop learned of the providers, kept in memory and read anew when another thread or process wrote some. */
export class Facts implements Disposable {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #facts = new Map<string, FactRecord>();
  #watch: Disposable | undefined;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Reads everything and follows what others write. */
  async follow(): Promise<void> {
    this.#watch = this.#store.watch((kinds) => {
      // A read that fails leaves the last known facts, and the next change brings another.
      if (kinds.has('fact')) this.#read().catch(() => undefined);
    });
    await this.#read();
  }

  async #read(): Promise<void> {
    const records = await this.#store.find('fact', {});
    this.#facts.clear();
    for (const record of records) this.#facts.set(keyOf(record), record);
  }

  get(topic: string, name: string, item = ''): FactRecord | undefined {
    const fact = this.#facts.get(keyOf({ topic, name, item }));
    return fact?.until !== undefined && fact.until <= this.#clock.now() ? undefined : fact;
  }

  /** An instance of which nothing is known counts as healthy: the first call will tell. */
  health(instance: string): Health {
    return (this.get('health', instance)?.value as Health | undefined) ?? { healthy: true };
  }

  /** Why an offer is skipped for now; undefined when it may be tried. */
  withoutCapacity(instance: string, api: string, offer: string): Shortfall | undefined {
    return this.get('offer', instance, offerItem(api, offer))?.value as Shortfall | undefined;
  }

  /** Whether any offer of the instance is marked at all: spares working the offers of a template out. */
  anyWithoutCapacity(instance: string): boolean {
    for (const fact of this.#facts.values()) {
      if (fact.topic === 'offer' && fact.name === instance && (fact.until ?? Infinity) > this.#clock.now()) return true;
    }
    return false;
  }

  /** The changes that write facts; they hold in this thread at once. */
  learn(records: readonly FactRecord[]): Change[] {
    for (const record of records) this.#facts.set(keyOf(record), record);
    return records.map((record) => ({ op: 'put', kind: 'fact', record }));
  }

  [Symbol.dispose](): void {
    this.#watch?.[Symbol.dispose]();
  }
}

const keyOf = ({ topic, name, item }: Pick<FactRecord, 'topic' | 'name' | 'item'>): string => `${topic}\u0000${name}\u0000${item}`;

export const offerItem = (api: string, offer: string): string => `${api}|${offer}`;
