import type { ServedInstance } from '../model/broker.ts';
import type { ProviderInstance } from '../model/provider-instance.ts';
import type { Facts } from './facts.ts';

/** An instance that only other live brokers have, as one of them describes it. */
export interface ElsewhereInstance {
  readonly instance: ProviderInstance;
  /** The names of its APIs, preferred first. */
  readonly apis: readonly string[];
}

/** The instances that other live brokers have and this one has not. */
export class ElsewhereInstances {
  readonly #configured: ReadonlySet<string>;
  readonly #facts: Pick<Facts, 'liveBrokers'>;
  #from: Facts['liveBrokers'] = [];
  #byName: ReadonlyMap<string, ElsewhereInstance> = new Map();
  /** By its description: an instance that did not change is the same object. */
  #known: ReadonlyMap<string, ElsewhereInstance> = new Map();

  constructor(configured: readonly ProviderInstance[], facts: Pick<Facts, 'liveBrokers'>) {
    this.#configured = new Set(configured.map(({ name }) => name));
    this.#facts = facts;
  }

  get all(): readonly ElsewhereInstance[] {
    const byName = this.#present();
    return byName.size === 0 ? none : [...byName.values()];
  }

  named(name: string): ElsewhereInstance | undefined {
    return this.#configured.has(name) ? undefined : this.#present().get(name);
  }

  #present(): ReadonlyMap<string, ElsewhereInstance> {
    const { liveBrokers } = this.#facts;
    if (liveBrokers === this.#from) return this.#byName;
    this.#from = liveBrokers;
    const byName = new Map<string, ElsewhereInstance>();
    const known = new Map<string, ElsewhereInstance>();
    for (const { draining, serves } of liveBrokers) {
      if (draining === true) continue;
      for (const { name, type, terms } of serves) {
        if (terms === undefined || this.#configured.has(name) || byName.has(name)) continue;
        const text = JSON.stringify([name, type, terms]);
        const each = this.#known.get(text) ?? described(name, type, terms);
        known.set(text, each);
        byName.set(name, each);
      }
    }
    this.#byName = byName;
    this.#known = known;
    return byName;
  }
}

const none: readonly ElsewhereInstance[] = [];

const described = (
  name: string,
  type: string,
  { apis, ...terms }: NonNullable<ServedInstance['terms']>,
): ElsewhereInstance => ({ instance: { name, type, ...terms, config: {}, sweep: 'off' }, apis });
