import type { Clock } from '../../contract/clock.ts';
import type { Fence, JobLease, Store } from '../../contract/storage.ts';
import type { BrokerRecord } from '../../model/broker.ts';
import type { Settings } from '../settings.ts';

export interface JobParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly settings: Pick<Settings, 'lease_ms'>;
  /** The present record of this broker. */
  readonly broker: () => BrokerRecord;
}

/** Work that one broker on a store does at a time, under a lease of the store. */
export class Job {
  readonly #name: string;
  readonly #parts: JobParts;
  #mine: { readonly lease: JobLease; readonly until: number } | undefined;
  #taking: Promise<Fence | undefined> | undefined;

  constructor(name: string, parts: JobParts) {
    this.#name = name;
    this.#parts = parts;
  }

  /**
   * Takes or keeps the job. Returns the fence of its commits: after another broker took the job over, they are
   * refused. Undefined: another broker has it.
   */
  async take(): Promise<Fence | undefined> {
    if (this.#mine && this.#parts.clock.monotonic() < this.#mine.until) return fenceOf(this.#mine.lease);
    // Concurrent calls share one attempt.
    this.#taking ??= this.#take().finally(() => (this.#taking = undefined));
    return this.#taking;
  }

  /** Frees the job for another broker. */
  async free(): Promise<void> {
    const mine = this.#mine;
    this.#mine = undefined;
    // A job that cannot be freed is free when the lease of this broker ends.
    if (mine) await this.#parts.store.freeJob(mine.lease).catch(() => undefined);
  }

  async #take(): Promise<Fence | undefined> {
    const { store, clock, settings, broker } = this.#parts;
    // Counted from the time before the call to the store.
    const until = clock.monotonic() + settings.lease_ms / 4;
    this.#mine = undefined;
    const lease = await store.job(broker(), this.#name, settings.lease_ms);
    if (!lease) return undefined;
    this.#mine = { lease, until };
    return fenceOf(lease);
  }
}

const fenceOf = ({ job, epoch }: JobLease): Fence => ({ op: 'fence', job, epoch });
