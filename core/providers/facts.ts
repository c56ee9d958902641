import type { Clock } from '../contract/clock.ts';
import type { Health } from '../model/health.ts';
import type { ProviderInstance } from '../model/provider-instance.ts';
import type { FactRecord } from '../model/records.ts';
import type { Shortfall } from '../model/shortfall.ts';
import type { MachineType, Places } from '../contract/provider.ts';
import { nothingMeasured, type Measured } from '../model/measured.ts';
import type { Change, Store } from '../contract/storage.ts';
import { KnownFacts } from './known-facts.ts';
import { createHash } from 'node:crypto';

/** Health as it is stored: with what the instance was configured with then. */
export interface HealthFact extends Health {
  readonly fingerprint?: string;
}

/** When an instance was last asked what it has, and which cloud answered. */
export interface Discovered {
  readonly identity: string;
  readonly at: number;
}

/** That an offer lacked capacity. Times are epoch milliseconds. */
export interface Lack {
  readonly lacked: Shortfall;
  /** When the provider last said so. */
  readonly since: number;
  /** Until then it comes behind all others. */
  readonly until: number;
  /** Before then it is not asked at all. */
  readonly tried_again_at: number;
}

/** An offer that comes behind all others for now. */
export interface LackingOffer extends Lack {
  readonly api: string;
  readonly offer: string;
}

/** Kept in memory apart: large, and new once a day. */
const bulky = 'machine_types';
/** What is read anew with every change. */
const light = ['health', 'offer', 'places', 'discovery', 'orphans', 'statistics', 'missing', 'ordered'];

/** What the loop learned of the providers, kept in memory and read anew when another thread or process wrote some. */
export class Facts implements Disposable {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #facts = new KnownFacts();
  /** By instance: as of a survey, the types by name. */
  readonly #machineTypes = new Map<string, { readonly at: number; readonly byName: ReadonlyMap<string, MachineType> }>();
  /** By instance, as it is configured in this process. */
  readonly #fingerprints: ReadonlyMap<string, string>;
  #watch: Disposable | undefined;

  constructor(store: Store, clock: Clock, instances: readonly ProviderInstance[] = []) {
    this.#store = store;
    this.#clock = clock;
    this.#fingerprints = new Map(instances.map((instance) => [instance.name, fingerprint(instance)]));
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
    const turn = this.#facts.begin();
    const records = await this.#store.find('fact', { where: { topic: light } });
    if (!this.#facts.land(turn, records)) return;
    const discoveries = [...this.#facts.values()].filter(({ topic }) => topic === 'discovery');
    for (const { name, at } of discoveries) {
      if (this.#machineTypes.get(name)?.at === at) continue;
      const types = await this.#store.get('fact', { topic: bulky, name, item: '' });
      // Those of another survey come with it.
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

  /** What was found with another configuration of the instance, an old password say, is forgotten. */
  health(instance: string): Health {
    const found = this.get('health', instance)?.value as HealthFact | undefined;
    if (found?.status === undefined || found.fingerprint !== this.#fingerprints.get(instance)) return { status: 'unknown' };
    const { fingerprint: _, ...health } = found;
    return health;
  }

  /** Stores the health of an instance as it is configured here. */
  learnHealth(name: string, health: Health): Promise<void> {
    const configured = this.#fingerprints.get(name);
    const value: HealthFact = { ...health, ...(configured === undefined ? {} : { fingerprint: configured }) };
    return this.learn([{ topic: 'health', name, item: '', value, at: this.#clock.now() }]);
  }

  /** What an instance was measured to do. */
  measured(instance: string): Measured {
    return (this.get('statistics', instance)?.value as Measured | undefined) ?? nothingMeasured;
  }

  /** Instances that live machines need and that are not configured, with their type. */
  missing(): readonly { readonly name: string; readonly type: string }[] {
    const now = this.#clock.now();
    const missing = [...this.#facts.values()].filter((fact) => fact.topic === 'missing' && holds(fact, now));
    return missing.map(({ name, value }) => ({ name, type: String(value) }));
  }

  discovery(instance: string): Discovered | undefined {
    return this.get('discovery', instance)?.value as Discovered | undefined;
  }

  /** Where an instance has machines; undefined until it was asked. */
  places(instance: string): Places | undefined {
    return this.get('places', instance)?.value as Places | undefined;
  }

  /** What an instance said of one of its machine types, once it was asked. */
  machineType(instance: string, name: string): MachineType | undefined {
    return this.#machineTypes.get(instance)?.byName.get(name);
  }

  /** Every offer of an instance that lacked capacity lately, the oldest first. */
  lackingOffers(instance: string): readonly LackingOffer[] {
    const now = this.#clock.now();
    return [...this.#facts.values()]
      .filter((fact) => fact.topic === 'offer' && fact.name === instance && holds(fact, now))
      .map((fact) => {
        const [api = '', ...offer] = fact.item.split('|');
        return { api, offer: offer.join('|'), ...lackOf(fact) };
      })
      .toSorted((a, b) => a.since - b.since);
  }

  /** What was said of an offer that lacked capacity lately; undefined: nothing. */
  withoutCapacity(instance: string, api: string, offer: string): Lack | undefined {
    const fact = this.get('offer', instance, offerItem(api, offer));
    return fact && lackOf(fact);
  }

  /** Whether any offer of the instance is marked at all: spares working the offers of a template out. */
  anyWithoutCapacity(instance: string): boolean {
    for (const fact of this.#facts.values()) {
      if (fact.topic === 'offer' && fact.name === instance && holds(fact, this.#clock.now())) return true;
    }
    return false;
  }

  /**
   * Takes facts in: they hold in this thread at once, and are stored by `commit` (default: a commit of their own), whose refusal is passed on. What could not
   * be stored is forgotten with the next read.
   */
  async learn(records: readonly FactRecord[], commit = (changes: readonly Change[]) => this.#store.commit(changes)): Promise<void> {
    if (records.length === 0) return commit([]);
    for (const record of records) if (record.topic === bulky) this.#takeTypes(record);
    const lesson = this.#facts.learn(records.filter(({ topic }) => topic !== bulky));
    try {
      await commit(records.map((record) => ({ op: 'put', kind: 'fact', record })));
      this.#facts.settle(lesson);
    } catch (error) {
      this.#facts.settle(lesson);
      // Nobody tells of what was not stored.
      this.#read().catch(() => undefined);
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#watch?.[Symbol.dispose]();
  }
}

/** A clock that is read a little earlier than by another thread was not set back. */
const toleranceMs = 1_000;

/** One that is to be forgotten at some time holds until then, and not when it was learned later than now: the clock was set back since. */
const holds = ({ at, until }: FactRecord, now: number): boolean => until === undefined || (until > now && at <= now + toleranceMs);

function lackOf({ value, at, until = Infinity }: FactRecord): Lack {
  const { tried_again_at = at, ...lacked } = value as Shortfall & { readonly tried_again_at?: number };
  return { lacked, since: at, until, tried_again_at };
}

/** That an offer of an API lacked capacity at `now`: behind all others for `offer_memory_ms`, not asked at all for `offer_probe_ms`. */
export const lackFact = (
  { instance, api, offer }: { readonly instance: string; readonly api: string; readonly offer: string },
  lacked: Shortfall,
  now: number,
  { offer_memory_ms, offer_probe_ms }: { readonly offer_memory_ms: number; readonly offer_probe_ms: number },
): FactRecord => ({
  topic: 'offer',
  name: instance,
  item: offerItem(api, offer),
  value: { ...lacked, tried_again_at: now + offer_probe_ms },
  at: now,
  until: now + offer_memory_ms,
});

export const offerItem = (api: string, offer: string): string => `${api}|${offer}`;

/**
 * Stands for what an instance connects with: its type and its config, secrets included. What was found with another one says nothing of it. Of a value
 * that is no JSON it says what JSON says of it.
 */
function fingerprint({ name, type, config }: ProviderInstance): string {
  return createHash('sha256')
    .update(JSON.stringify([name, type, config]))
    .digest('hex')
    .slice(0, 32);
}
