import { createHash } from 'node:crypto';
import type { Clock } from '../contract/clock.ts';
import type { BrokerRecord } from '../model/broker.ts';
import type { Health } from '../model/health.ts';
import type { ProviderInstance } from '../model/provider-instance.ts';
import type { FactRecord } from '../model/records.ts';
import type { KnownFacts } from './known-facts.ts';

/** Stored health, with the fingerprint of the configuration that it belongs to. */
interface HealthFact extends Health {
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

/** How long the health that a broker found is kept after it was stored last. */
const healthKeptMs = 86_400_000;

/** The health of an instance. */
interface Judged {
  readonly all: Health;
  readonly by_broker: readonly BrokerHealth[];
}

/** The facts about brokers: which live, and what health each found of its instances. */
export class BrokerFacts {
  readonly #known: KnownFacts;
  readonly #clock: Clock;
  /** By instance: the fingerprint of its configuration in this process. */
  readonly #fingerprints: ReadonlyMap<string, string>;
  readonly #own: OwnBroker | undefined;
  #live: readonly BrokerRecord[] | undefined;
  /** By instance, since the last change of the facts or of the live brokers. */
  readonly #judgements = new Map<string, Judged>();
  #judgedAt: { readonly changes: number; readonly live: readonly BrokerRecord[] | undefined } = {
    changes: 0,
    live: undefined,
  };

  constructor(known: KnownFacts, clock: Clock, instances: readonly ProviderInstance[], own: OwnBroker | undefined) {
    this.#known = known;
    this.#clock = clock;
    this.#fingerprints = new Map(instances.map((instance) => [instance.name, fingerprint(instance)]));
    this.#own = own;
  }

  /** The brokers that live, as the reconciler of this process found last, else as any reconciler stored last. */
  get live(): readonly BrokerRecord[] {
    return this.#live ?? (this.#known.get(brokersFact)?.value as readonly BrokerRecord[] | undefined) ?? [];
  }

  /** This broker lives beside these. Returns the fact for other processes when it changed. */
  found(live: readonly BrokerRecord[]): FactRecord | undefined {
    this.#live = live;
    if (JSON.stringify(this.#known.get(brokersFact)?.value) === JSON.stringify(live)) return undefined;
    return { ...brokersFact, value: live, at: this.#clock.now() };
  }

  /**
   * The health of an instance over all live brokers that have it: `healthy` when one of them found it so, `unhealthy`
   * when all found it so. What brokers found that are dead does not count.
   */
  health(instance: string): Health {
    return this.#judged(instance).all;
  }

  /** The health of an instance, as each live broker that has it found. */
  healthByBroker(instance: string): readonly BrokerHealth[] {
    return this.#judged(instance).by_broker;
  }

  /** Selections ask often, and facts change rarely. */
  #judged(instance: string): Judged {
    if (this.#judgedAt.changes !== this.#known.changes || this.#judgedAt.live !== this.#live) {
      this.#judgedAt = { changes: this.#known.changes, live: this.#live };
      this.#judgements.clear();
    }
    let judged = this.#judgements.get(instance);
    if (!judged) {
      const by_broker = this.#byBroker(instance);
      this.#judgements.set(instance, (judged = { all: this.#overAll(instance, by_broker), by_broker }));
    }
    return judged;
  }

  #overAll(instance: string, found: readonly BrokerHealth[]): Health {
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

  #byBroker(instance: string): readonly BrokerHealth[] {
    return this.live.flatMap(({ broker_id, host, serves }) => {
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
    const mine = this.#known.get({ topic: 'health', name: instance, item: this.#own?.broker_id ?? '' });
    const found = mine ?? this.#earlierHealth(instance);
    const { status, fingerprint: configured } = (found?.value ?? {}) as Partial<HealthFact>;
    if (!found || status === undefined || configured !== this.#fingerprints.get(instance))
      return { status: 'unknown' };
    return withoutOrigin(found.value as HealthFact);
  }

  #earlierHealth(instance: string): FactRecord | undefined {
    if (!this.#own) return undefined;
    const live = new Set(this.live.map(({ broker_id }) => broker_id));
    let latest: FactRecord | undefined;
    for (const fact of this.#known.of('health')) {
      if (fact.name !== instance || live.has(fact.item)) continue;
      const { host = this.#own.host } = fact.value as HealthFact;
      if (host === this.#own.host && (latest === undefined || fact.at > latest.at)) latest = fact;
    }
    return latest;
  }

  #healthOf(instance: string, broker_id: string): Health | undefined {
    const fact = this.#known.get({ topic: 'health', name: instance, item: broker_id });
    if (!fact) return undefined;
    const found = fact.value as HealthFact;
    // The list of live brokers may be older than a restart: what was found here with another configuration is past.
    const isHere = this.#own === undefined || found.host === this.#own.host;
    const configured = this.#fingerprints.get(instance);
    return isHere && configured !== undefined && found.fingerprint !== configured ? undefined : withoutOrigin(found);
  }

  /** The fact that this broker found the health of an instance, with its present configuration. */
  healthFact(name: string, health: Health): FactRecord {
    const configured = this.#fingerprints.get(name);
    const { broker_id = '', host } = this.#own ?? {};
    const value: HealthFact = {
      ...health,
      ...(configured === undefined ? {} : { fingerprint: configured }),
      ...(host === undefined ? {} : { host }),
    };
    const at = this.#clock.now();
    return { topic: 'health', name, item: broker_id, value, at, until: at + healthKeptMs };
  }
}

const brokersFact = { topic: 'brokers', name: '', item: '' } as const;

const withoutOrigin = ({ status, message, answered_at }: HealthFact): Health => ({
  status,
  ...(message === undefined ? {} : { message }),
  ...(answered_at === undefined ? {} : { answered_at }),
});

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
