import type { Clock } from '../contract/clock.ts';
import type { BrokerRecord } from '../model/broker.ts';
import type { Health } from '../model/health.ts';
import type { ProviderInstance } from '../model/provider-instance.ts';
import type { FactRecord } from '../model/records.ts';
import type { Shortfall } from '../model/shortfall.ts';
import type { MachineType, Places } from '../contract/provider/resources.ts';
import { nothingMeasured, type Measured } from '../model/measured.ts';
import type { Change, Store } from '../contract/storage.ts';
import { KnownFacts } from './known-facts.ts';
import { createHash } from 'node:crypto';

/** Stored health, with the fingerprint of the configuration that it belongs to. */
export interface HealthFact extends Health {
  readonly fingerprint?: string;
  /** The host of the broker that found it. */
  readonly host?: string;
}

/** The health of an instance, as one broker found it. */
export interface BrokerHealth extends Health {
  readonly broker_id: string;
  readonly host: string;
}

/** The broker of this process. */
export type OwnBroker = Pick<BrokerRecord, 'broker_id' | 'host'>;

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
  'orphans',
  'statistics',
  'missing',
  'ordered',
  noticesTopic,
  'brokers',
  'served',
];
/**
 * How long after its end a broker is expected to come back with its instances: an hour, and the time between two
 * commits of what it has.
 */
const servedKeptMs = 4_800_000;
const servedEveryMs = 1_200_000;
/** How long the health that a broker found is kept after it was stored last. */
const healthKeptMs = 86_400_000;

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
  /** By instance: the fingerprint of its configuration in this process. */
  readonly #fingerprints: ReadonlyMap<string, string>;
  readonly #own: OwnBroker | undefined;
  #live: readonly BrokerRecord[] | undefined;
  #watch: Disposable | undefined;

  /** `own`: absent in a process without a broker. */
  constructor(store: Store, clock: Clock, instances: readonly ProviderInstance[] = [], own?: OwnBroker) {
    this.#store = store;
    this.#clock = clock;
    this.#own = own;
    this.#fingerprints = new Map(instances.map((instance) => [instance.name, fingerprint(instance)]));
  }

  /** Reads all facts, and reads them again after every change. */
  async follow(): Promise<void> {
    this.#watch = this.#store.watch((kinds) => {
      // After a failed read the last known facts stay, and the next change starts another read.
      if (kinds.has('fact')) this.#read().catch(() => undefined);
    });
    await this.#read();
  }

  async #read(): Promise<void> {
    const read = this.#facts.startRead();
    const records = await this.#store.find('fact', { where: { topic: light } });
    if (!this.#facts.applyRead(read, records)) return;
    const discoveries = [...this.#facts.values()].filter(({ topic }) => topic === 'discovery');
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

  /** The brokers that live, as the reconciler of this process found last, else as any reconciler stored last. */
  get liveBrokers(): readonly BrokerRecord[] {
    return this.#live ?? (this.#facts.get(brokersFact)?.value as readonly BrokerRecord[] | undefined) ?? [];
  }

  /** Learns the brokers that live, for all processes. Writes only what changed. */
  async learnBrokers(live: readonly BrokerRecord[]): Promise<void> {
    this.#live = live;
    if (JSON.stringify(this.#facts.get(brokersFact)?.value) === JSON.stringify(live)) return;
    await this.learn([{ ...brokersFact, value: live, at: this.#clock.now() }]);
  }

  /** Whether a broker had the instance in its configuration within about the last hour. */
  wasServedLately(instance: string): boolean {
    const now = this.#clock.now();
    for (const fact of this.#facts.values())
      if (fact.topic === 'served' && fact.name === instance && holds(fact, now)) return true;
    return false;
  }

  /**
   * Learns which instances the broker at a place has. Another broker that starts there replaces it. Cheap while nothing
   * is to be stored.
   */
  async learnServed(place: string, instances: readonly Pick<ProviderInstance, 'name'>[]): Promise<void> {
    const at = this.#clock.now();
    const names = new Set(instances.map(({ name }) => name));
    const kept = [...this.#facts.values()].filter(({ topic, item }) => topic === 'served' && item === place);
    const over = kept.filter((fact) => !names.has(fact.name) && holds(fact, at));
    const young = new Set(
      kept.flatMap((fact) => (holds(fact, at) && at - fact.at < servedEveryMs ? [fact.name] : [])),
    );
    const fact = { topic: 'served', item: place, value: null, at };
    const records = [
      ...over.map(({ name }) => ({ ...fact, name, until: at })),
      ...[...names].flatMap((name) => (young.has(name) ? [] : [{ ...fact, name, until: at + servedKeptMs }])),
    ];
    if (records.length > 0) await this.learn(records);
  }

  /**
   * The health of an instance over all live brokers that have it: `healthy` when one of them found it so, `unhealthy`
   * when all found it so. What brokers found that are dead does not count.
   */
  health(instance: string): Health {
    const found = this.healthByBroker(instance);
    if (found.length === 0) return this.ownHealth(instance);
    const answered = found.flatMap(({ answered_at }) => answered_at ?? []);
    const best =
      found.find(({ status }) => status === 'healthy') ?? found.find(({ status }) => status === 'unknown') ?? found[0];
    const { status = 'unknown', message } = best ?? {};
    return {
      status,
      ...(message === undefined ? {} : { message }),
      ...(answered.length === 0 ? {} : { answered_at: Math.max(...answered) }),
    };
  }

  /** The health of an instance, as each live broker that has it found. */
  healthByBroker(instance: string): readonly BrokerHealth[] {
    return this.liveBrokers.flatMap(({ broker_id, host, serves }) => {
      if (!serves.some(({ name }) => name === instance)) return [];
      const health =
        broker_id === this.#own?.broker_id ? this.ownHealth(instance) : this.#healthOf(instance, broker_id);
      return [{ status: 'unknown' as const, ...health, broker_id, host }];
    });
  }

  /**
   * The health that the broker of this process found; before its first check, what an earlier broker on this host
   * found with the same configuration.
   */
  ownHealth(instance: string): Health {
    const mine = this.#facts.get({ topic: 'health', name: instance, item: this.#own?.broker_id ?? '' });
    const found = mine ?? this.#earlierHealth(instance);
    const { status, fingerprint: configured } = (found?.value ?? {}) as Partial<HealthFact>;
    if (!found || status === undefined || configured !== this.#fingerprints.get(instance))
      return { status: 'unknown' };
    return withoutOrigin(found.value as HealthFact);
  }

  #earlierHealth(instance: string): FactRecord | undefined {
    if (!this.#own) return undefined;
    const live = new Set(this.liveBrokers.map(({ broker_id }) => broker_id));
    let latest: FactRecord | undefined;
    for (const fact of this.#facts.values()) {
      if (fact.topic !== 'health' || fact.name !== instance || live.has(fact.item)) continue;
      const { host = this.#own.host } = fact.value as HealthFact;
      if (host === this.#own.host && (latest === undefined || fact.at > latest.at)) latest = fact;
    }
    return latest;
  }

  #healthOf(instance: string, broker_id: string): Health | undefined {
    const fact = this.#facts.get({ topic: 'health', name: instance, item: broker_id });
    return fact && withoutOrigin(fact.value as HealthFact);
  }

  /** Stores the health of an instance for its present configuration and this broker. */
  learnHealth(name: string, health: Health): Promise<void> {
    const configured = this.#fingerprints.get(name);
    const { broker_id = '', host } = this.#own ?? {};
    const value: HealthFact = {
      ...health,
      ...(configured === undefined ? {} : { fingerprint: configured }),
      ...(host === undefined ? {} : { host }),
    };
    const at = this.#clock.now();
    return this.learn([{ topic: 'health', name, item: broker_id, value, at, until: at + healthKeptMs }]);
  }

  /** The counters of an instance. */
  measured(instance: string): Measured {
    return (this.get('statistics', instance)?.value as Measured | undefined) ?? nothingMeasured;
  }

  /** Instances that have living machines and are not configured, with their type. */
  missing(): readonly { readonly name: string; readonly type: string }[] {
    const now = this.#clock.now();
    const missing = [...this.#facts.values()].filter((fact) => fact.topic === 'missing' && holds(fact, now));
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

  /** All offers of an instance that lacked capacity recently, the oldest first. */
  offerShortfalls(instance: string): readonly OfferShortfall[] {
    const now = this.#clock.now();
    return [...this.#facts.values()]
      .filter((fact) => fact.topic === 'offer' && fact.name === instance && holds(fact, now))
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
    for (const fact of this.#facts.values()) {
      if (fact.topic === 'offer' && fact.name === instance && holds(fact, this.#clock.now())) return true;
    }
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

const brokersFact = { topic: 'brokers', name: '', item: '' } as const;

function withoutOrigin({ fingerprint: _, host: _host, ...health }: HealthFact): Health {
  return health;
}

/**
 * Allows for small differences between the clocks of two threads; only a larger difference means that the clock was
 * set back.
 */
const toleranceMs = 1_000;

/**
 * A fact with an end holds until its end, but not when it was learned in the future: then the clock was set back
 * since.
 */
const holds = ({ at, until }: FactRecord, now: number): boolean =>
  until === undefined || (until > now && at <= now + toleranceMs);

function offerShortfallOf({ item, value, at, until = Infinity }: FactRecord): OfferShortfall {
  const [api = '', ...offer] = item.split('|');
  const { tried_again_at = at, ...shortfall } = value as Shortfall & { readonly tried_again_at?: number };
  return { api, offer: offer.join('|'), shortfall, since: at, until, tried_again_at };
}

/**
 * The fact that an offer lacked capacity at `now`: after all others for `offer_memory_ms`, unused for
 * `offer_probe_ms`.
 */
export const offerShortfallFact = (
  { instance, api, offer }: { readonly instance: string; readonly api: string; readonly offer: string },
  shortfall: Shortfall,
  now: number,
  { offer_memory_ms, offer_probe_ms }: { readonly offer_memory_ms: number; readonly offer_probe_ms: number },
): FactRecord => ({
  topic: 'offer',
  name: instance,
  item: offerItem(api, offer),
  value: { ...shortfall, tried_again_at: now + offer_probe_ms },
  at: now,
  until: now + offer_memory_ms,
});

export const offerItem = (api: string, offer: string): string => `${api}|${offer}`;

/**
 * A hash of the settings that an instance connects with: its type and its config, including secrets. Facts that were
 * learned with other settings do not hold.
 */
function fingerprint({ name, type, config }: ProviderInstance): string {
  return createHash('sha256')
    .update(JSON.stringify([name, type, config]))
    .digest('hex')
    .slice(0, 32);
}
