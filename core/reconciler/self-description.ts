import { differencesOf } from '../brokers/differences.ts';
import type { LiveBrokers } from '../brokers/live-brokers.ts';
import type { Log } from '../contract/log.ts';
import type { BrokerRecord, SelectionTerms, ServedInstance } from '../model/broker.ts';
import type { ProviderInstance } from '../model/provider-instance.ts';
import type { ProviderDirectory } from '../providers/directory.ts';
import type { Facts } from '../providers/facts.ts';
import type { SessionPool } from '../providers/guard/session-pool.ts';
import type { FileHashes } from '../templates/library.ts';
import type { HealthWatch } from './health/health-watch.ts';

interface SelfDescriptionParts {
  readonly broker: Omit<BrokerRecord, 'serves'>;
  readonly data_directory: string;
  readonly instances: readonly ProviderInstance[];
  readonly log: Log;
  readonly facts: Facts;
  readonly liveBrokers: LiveBrokers;
  readonly pool: SessionPool;
  readonly health: HealthWatch;
  readonly directory: ProviderDirectory;
}

/**
 * Where a broker runs: another one at the same place replaces it. Where the system chooses the port, the address is
 * not known: then the data directory, which no two servers share, tells brokers of one host apart.
 */
export const placeOf = ({ host, address }: Pick<BrokerRecord, 'host' | 'address'>, data_directory: string): string =>
  `${host} ${address ?? data_directory}`.trim();

/** What this broker tells the others in its record, and what it learns of theirs with each renewal. */
export class SelfDescription {
  readonly #parts: SelfDescriptionParts;
  readonly #terms = new Map<string, SelectionTerms>();
  /** Differences to other brokers that are logged. */
  #warned: ReadonlySet<string> = new Set();
  #template_files: FileHashes | undefined;
  #draining = false;

  constructor(parts: SelfDescriptionParts) {
    this.#parts = parts;
  }

  get hasOthers(): boolean {
    return this.#parts.liveBrokers.others.length > 0;
  }

  /** This broker uses these template files now. */
  describe(template_files: FileHashes): void {
    this.#template_files = template_files;
  }

  /** From now on the record tells the other brokers that this one ends: they take its share. */
  drains(): void {
    this.#draining = true;
  }

  /** The present record. */
  record(): BrokerRecord {
    const { broker, pool, health, liveBrokers } = this.#parts;
    const serves = pool.served().map((served): ServedInstance => {
      const { name, identity } = served;
      return {
        ...served,
        ...(health.isUnhealthy(name) ? { unhealthy: true } : {}),
        ...(identity === undefined ? {} : { share: liveBrokers.shareToTell(identity) }),
        terms: this.#termsOf(name),
      };
    });
    return {
      ...broker,
      ...(this.#draining ? { draining: true } : {}),
      ...(this.#template_files ? { template_files: this.#template_files } : {}),
      serves,
    };
  }

  /** Stores which instances this broker has, where that is news. */
  async tellServed(): Promise<void> {
    const { broker, data_directory, instances, facts } = this.#parts;
    const described = instances.map(({ name, type }) => ({ name, type, terms: this.#termsOf(name) }));
    await facts.learnServed(placeOf(broker, data_directory), described);
  }

  /** The lease was renewed with this record, beside these brokers. What cannot be stored is stored at a later renewal. */
  renewed(record: BrokerRecord, live: readonly BrokerRecord[]): void {
    const { log, facts, liveBrokers } = this.#parts;
    liveBrokers.renewed(record, live);
    facts.learnBrokers(live).catch(() => undefined);
    this.tellServed().catch(() => undefined);
    if (this.hasOthers) this.#introduce();
    if (!this.hasOthers && this.#warned.size === 0) return;
    const differences = differencesOf(record, live);
    for (const each of differences) if (!this.#warned.has(each)) log.warn({}, each);
    this.#warned = new Set(differences);
  }

  /**
   * The part of the rate limits of its cloud that an instance may use. All of them before it is connected, when the
   * cloud is unknown.
   */
  share(name: string): number {
    const identity = this.#parts.pool.known(name)?.identity;
    return identity === undefined ? 1 : this.#parts.liveBrokers.share(identity);
  }

  /**
   * Connects to instances that nothing has used yet. Other brokers hand requests over only to a broker that tells the
   * clouds of its instances, and wait for one that may tell them.
   */
  #introduce(): void {
    const { pool, directory } = this.#parts;
    for (const { name, identity } of pool.served())
      if (identity === undefined && directory.require(name).enabled && pool.isDormant(name))
        pool.connectForCheck(name).catch(() => undefined);
  }

  #termsOf(name: string): SelectionTerms {
    let terms = this.#terms.get(name);
    if (!terms) {
      const { enabled, priority, weight, limits, template_defaults } = this.#parts.directory.require(name);
      const apis = [...this.#parts.directory.apiNames(name)];
      terms = { enabled, priority, weight, apis, limits: { ...limits }, template_defaults: { ...template_defaults } };
      this.#terms.set(name, terms);
    }
    return terms;
  }
}
