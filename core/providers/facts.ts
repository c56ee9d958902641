import type { Clock } from '../contract/clock.ts';
import type { BrokerRecord } from '../model/broker.ts';
import type { Health } from '../model/health.ts';
import type { ProviderInstance } from '../model/provider-instance.ts';
import type { FactRecord } from '../model/records.ts';
import type { Shortfall } from '../model/shortfall.ts';
import type { MachineType, Places } from '../contract/provider/resources.ts';
import { nearTopic, ranTopic } from '../budgets/budget-topics.ts';
import { endOrphanTopic, orphansTopic, sweptTopic } from './orphans/orphan.ts';
import { nothingMeasured, type Measured } from '../model/measured.ts';
import type { Change, Store } from '../contract/storage.ts';
import { BrokerFacts, type BrokerHealth, type OwnBroker } from './broker-facts.ts';
import { holds, KnownFacts } from './known-facts.ts';
import { ServedFacts, type DescribedInstance } from './served-facts.ts';

/** When the last discovery of an instance ran, and which cloud answered. */
export interface Discovered {
  readonly identity: string;
  readonly at: number;
}

/** A lack of capacity of one offer. Times are epoch milliseconds. */
export interface OfferShortfall {
  readonly api: string;
  readonly offer: string;
  readonly shortfall: Shortfall;
  /** When the provider last reported it. */
  readonly since: number;
  /** Since when it is short: the first report of those that followed each other while the lack was remembered. */
  readonly short_since: number;
  /** Until then the offer comes after all others. */
  readonly until: number;
  /** Until then the offer is not used at all. */
  readonly tried_again_at: number;
}

/** The topic of the fact that the notices of an instance arrive now. */
export const noticesTopic = 'notices';

/** Cached separately, because the fact is large and changes once a day. */
const bulky = 'machine_types';
/** The facts that are read again after every change. */
const light = [
  'health',
  'offer',
  'places',
  'discovery',
  orphansTopic,
  endOrphanTopic,
  sweptTopic,
  'statistics',
  'missing',
  'ordered',
  noticesTopic,
  'brokers',
  'served',
  'refresh',
  ranTopic,
  nearTopic,
];

/**
 * The facts that the loop learned about providers. Kept in memory, and read again after another thread or process
 * wrote some.
 */
export class Facts implements Disposable {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #facts = new KnownFacts();
  /** By instance: the time of the discovery, and the machine types by name. */
  readonly #machineTypes = new Map<
    string,
    { readonly at: number; readonly byName: ReadonlyMap<string, MachineType> }
  >();
  readonly #brokers: BrokerFacts;
  readonly served: ServedFacts;
  #onRead: () => void = () => undefined;
  #watch: Disposable | undefined;

  /** `own`: absent in a process without a broker. */
  constructor(store: Store, clock: Clock, instances: readonly ProviderInstance[] = [], own?: OwnBroker) {
    this.#store = store;
    this.#clock = clock;
    this.#brokers = new BrokerFacts(this.#facts, clock, instances, own);
    this.served = new ServedFacts(this.#facts, clock);
  }

  /** Reads all facts, and reads them again after every change. */
  async follow(): Promise<void> {
    this.#watch = this.#store.watch((kinds) => {
      // After a failed read the last known facts stay, and the next change starts another read.
      if (kinds.has('fact'))
        this.#read().then(
          () => this.#onRead(),
          () => undefined,
        );
    });
    await this.#read();
  }

  async #read(): Promise<void> {
    const read = this.#facts.startRead();
    const records = await this.#store.find('fact', { where: { topic: light } });
    if (!this.#facts.applyRead(read, records)) return;
    const discoveries = [...this.#facts.of('discovery')];
    for (const { name, at } of discoveries) {
      if (this.#machineTypes.get(name)?.at === at) continue;
      const types = await this.#store.get('fact', { topic: bulky, name, item: '' });
      // The types of another discovery are stored together with its own fact.
      if (types?.at === at) this.#takeTypes(types);
    }
  }

  #takeTypes({ name, at, value }: FactRecord): void {
    this.#machineTypes.set(name, { at, byName: new Map((value as MachineType[]).map((type) => [type.name, type])) });
  }

  get(topic: string, name: string, item = ''): FactRecord | undefined {
    const fact = this.#facts.get({ topic, name, item });
    return fact && holds(fact, this.#clock.now()) ? fact : undefined;
  }

  /** Calls `changed` after every read that follows a change. */
  whenRead(changed: () => void): void {
    this.#onRead = changed;
  }

  /** The facts of a topic that hold now. */
  ofTopic(topic: string): readonly FactRecord[] {
    const now = this.#clock.now();
    return [...this.#facts.of(topic)].filter((fact) => holds(fact, now));
  }

  /** See `BrokerFacts`, also for the following. */
  get liveBrokers(): readonly BrokerRecord[] {
    return this.#brokers.live;
  }

  health(instance: string): Health {
    return this.#brokers.health(instance);
  }

  healthByBroker(instance: string): readonly BrokerHealth[] {
    return this.#brokers.healthByBroker(instance);
  }

  ownHealth(instance: string): Health {
    return this.#brokers.ownHealth(instance);
  }

  /** Stores the health of an instance for its present configuration and this broker. */
  learnHealth(name: string, health: Health): Promise<void> {
    return this.learn([this.#brokers.healthFact(name, health)]);
  }

  /** Learns the brokers that live, for all processes. Stores only what changed. */
  async learnBrokers(live: readonly BrokerRecord[]): Promise<void> {
    const news = this.#brokers.found(live);
    if (news) await this.learn([news]);
  }

  /**
   * Learns which instances the broker at a place has. Another broker that starts there replaces it. Stores only what
   * changed.
   */
  async learnServed(place: string, instances: readonly DescribedInstance[]): Promise<void> {
    const news = this.served.news(place, instances);
    if (news.length > 0) await this.learn(news);
  }

  /** The counters of an instance. */
  measured(instance: string): Measured {
    return (this.get('statistics', instance)?.value as Measured | undefined) ?? nothingMeasured;
  }

  /** Instances that have living machines and are not configured, with their type. */
  missing(): readonly { readonly name: string; readonly type: string }[] {
    const now = this.#clock.now();
    const missing = [...this.#facts.of('missing')].filter((fact) => holds(fact, now));
    return missing.map(({ name, value }) => ({ name, type: String(value) }));
  }

  discovery(instance: string): Discovered | undefined {
    return this.get('discovery', instance)?.value as Discovered | undefined;
  }

  /** The places of an instance; undefined until the first discovery. */
  places(instance: string): Places | undefined {
    return this.get('places', instance)?.value as Places | undefined;
  }

  /** A machine type of an instance; undefined until the first discovery. */
  machineType(instance: string, name: string): MachineType | undefined {
    return this.#machineTypes.get(instance)?.byName.get(name);
  }

  /** When the machine types of an instance were discovered; undefined until the first discovery. */
  machineTypesAt(instance: string): number | undefined {
    return this.#machineTypes.get(instance)?.at;
  }

  /** All offers of an instance that lacked capacity recently, the oldest first. */
  offerShortfalls(instance: string): readonly OfferShortfall[] {
    const now = this.#clock.now();
    return [...this.#facts.of('offer')]
      .filter((fact) => fact.name === instance && holds(fact, now))
      .map(offerShortfallOf)
      .toSorted((a, b) => a.since - b.since);
  }

  /** The lack of capacity of one offer; undefined when it has none. */
  offerShortfall(instance: string, api: string, offer: string): OfferShortfall | undefined {
    const fact = this.get('offer', instance, offerItem(api, offer));
    return fact && offerShortfallOf(fact);
  }

  /** Whether any offer of the instance lacked capacity recently. Avoids computing the offers of a template. */
  hasOfferShortfalls(instance: string): boolean {
    for (const fact of this.#facts.of('offer'))
      if (fact.name === instance && holds(fact, this.#clock.now())) return true;
    return false;
  }

  /**
   * Learns facts: they hold in this thread immediately, and `commit` stores them (default: in a commit of their own).
   * Rejects as `commit` does; facts that could not be stored are forgotten with the next read.
   */
  async learn(
    records: readonly FactRecord[],
    commit = (changes: readonly Change[]) => this.#store.commit(changes),
  ): Promise<void> {
    if (records.length === 0) return commit([]);
    for (const record of records) if (record.topic === bulky) this.#takeTypes(record);
    const learned = this.#facts.learn(records.filter(({ topic }) => topic !== bulky));
    try {
      await commit(records.map((record) => ({ op: 'put', kind: 'fact', record })));
      this.#facts.settle(learned);
    } catch (error) {
      this.#facts.settle(learned);
      // The store does not notify about records that were not stored.
      this.#read().catch(() => undefined);
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#watch?.[Symbol.dispose]();
  }
}

function offerShortfallOf({ item, value, at, until = Infinity }: FactRecord): OfferShortfall {
  const [api = '', ...offer] = item.split('|');
  const {
    tried_again_at = at,
    short_since = at,
    ...shortfall
  } = value as Shortfall & Partial<Pick<OfferShortfall, 'tried_again_at' | 'short_since'>>;
  return { api, offer: offer.join('|'), shortfall, since: at, short_since, until, tried_again_at };
}

/**
 * The fact that an offer lacked capacity at `now`: after all others for `offer_memory_ms`, unused for
 * `offer_probe_ms`. `short_since`: when the first of the reports came that follow each other.
 */
export const offerShortfallFact = (
  { instance, api, offer }: { readonly instance: string; readonly api: string; readonly offer: string },
  shortfall: Shortfall,
  now: number,
  { offer_memory_ms, offer_probe_ms }: { readonly offer_memory_ms: number; readonly offer_probe_ms: number },
  short_since = now,
): FactRecord => ({
  topic: 'offer',
  name: instance,
  item: offerItem(api, offer),
  value: { ...shortfall, tried_again_at: now + offer_probe_ms, short_since },
  at: now,
  until: now + offer_memory_ms,
});

export const offerItem = (api: string, offer: string): string => `${api}|${offer}`;
