import type { ServedInstance } from '../model/broker.ts';
import type { ProviderInstance } from '../model/provider-instance.ts';
import type { Facts } from './facts.ts';

/** An instance that only other brokers have, as one of them describes it. */
export interface ElsewhereInstance {
  readonly instance: ProviderInstance;
  /** The names of its APIs, preferred first. */
  readonly apis: readonly string[];
}

type KnownInstances = ReadonlyMap<string, ElsewhereInstance>;

/** The instances that other brokers have and this one has not. */
export class ElsewhereInstances {
  readonly #configured: ReadonlySet<string>;
  readonly #facts: Pick<Facts, 'liveBrokers' | 'served'>;
  #from: Facts['liveBrokers'] = [];
  #byName: KnownInstances = new Map();
  /** By its description: an instance that did not change is the same object. */
  #known: KnownInstances = new Map();
  #absentFrom: Facts['served']['lately'] = [];
  #absentBeside: KnownInstances | undefined;
  #absent: KnownInstances = new Map();
  #knownAbsent: KnownInstances = new Map();

  constructor(configured: readonly ProviderInstance[], facts: Pick<Facts, 'liveBrokers' | 'served'>) {
    this.#configured = new Set(configured.map(({ name }) => name));
    this.#facts = facts;
  }

  /** Those of live brokers. */
  get all(): readonly ElsewhereInstance[] {
    const byName = this.#present();
    return byName.size === 0 ? none : [...byName.values()];
  }

  /** Those of brokers that ended within the last minutes, by name. */
  get absent(): KnownInstances {
    const present = this.#present();
    const { lately } = this.#facts.served;
    if (lately === this.#absentFrom && present === this.#absentBeside) return this.#absent;
    this.#absentFrom = lately;
    this.#absentBeside = present;
    const found = this.#described(
      lately.filter(({ name }) => !present.has(name)),
      this.#knownAbsent,
    );
    this.#knownAbsent = found.known;
    return (this.#absent = found.byName);
  }

  /** One of a live broker. */
  named(name: string): ElsewhereInstance | undefined {
    return this.#configured.has(name) ? undefined : this.#present().get(name);
  }

  /** One of a live broker, or of one that ended lately. */
  described(name: string): ElsewhereInstance | undefined {
    if (this.#configured.has(name)) return undefined;
    return this.#present().get(name) ?? this.absent.get(name);
  }

  #present(): ReadonlyMap<string, ElsewhereInstance> {
    const { liveBrokers } = this.#facts;
    if (liveBrokers === this.#from) return this.#byName;
    this.#from = liveBrokers;
    const served = liveBrokers.flatMap(({ draining, serves }) => (draining === true ? [] : serves));
    const found = this.#described(served, this.#known);
    this.#byName = found.byName;
    this.#known = found.known;
    return this.#byName;
  }

  /** Those of the instances that this broker has not, each once. One that did not change is the same object. */
  #described(served: readonly Pick<ServedInstance, 'name' | 'type' | 'terms'>[], before: KnownInstances) {
    const byName = new Map<string, ElsewhereInstance>();
    const known = new Map<string, ElsewhereInstance>();
    for (const { name, type, terms } of served) {
      if (terms === undefined || this.#configured.has(name) || byName.has(name)) continue;
      const text = JSON.stringify([name, type, terms]);
      const each = before.get(text) ?? described(name, type, terms);
      known.set(text, each);
      byName.set(name, each);
    }
    return { byName, known };
  }
}

const none: readonly ElsewhereInstance[] = [];

const described = (
  name: string,
  type: string,
  { apis, ...terms }: NonNullable<ServedInstance['terms']>,
): ElsewhereInstance => ({ instance: { name, type, ...terms, config: {}, sweep: 'off' }, apis });
