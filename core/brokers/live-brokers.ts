import type { BrokerRecord, ServedInstance } from '../model/broker.ts';
import { canServe, needsOf, type NeededInstance } from './needs.ts';
import { rateShare, usedShare } from './rate-share.ts';

/** The brokers that lived at the last renewal of this one. */
export class LiveBrokers {
  readonly #me: Pick<BrokerRecord, 'broker_id'>;
  #all: readonly BrokerRecord[] = [];
  /** By identity: the part of its rate limits that the stored record of this broker tells. */
  #told: ReadonlyMap<string, number> = new Map();

  constructor(me: Pick<BrokerRecord, 'broker_id'>) {
    this.#me = me;
  }

  /** The lease was renewed with this record. */
  renewed({ serves }: BrokerRecord, live: readonly BrokerRecord[]): void {
    this.#all = live;
    this.#told = new Map(
      serves.flatMap(({ identity, share }) =>
        identity === undefined || share === undefined ? [] : [[identity, share]],
      ),
    );
  }

  get others(): readonly BrokerRecord[] {
    return this.#all.filter(({ broker_id }) => broker_id !== this.#me.broker_id);
  }

  /** Whether another live broker has an instance of this name. */
  has(instance: string): boolean {
    return this.others.some(({ serves }) => serves.some(({ name }) => name === instance));
  }

  /** Whether another live broker takes requests and has all these instances. */
  hasAll(instances: readonly NeededInstance[]): boolean {
    const needs = needsOf(instances);
    return this.others.some((broker) => broker.draining !== true && canServe(broker, needs));
  }

  /**
   * As `hasAll`, also where a broker has not connected yet to the cloud of an instance and has not failed to. It does
   * not connect to one that is disabled there.
   */
  mayHaveAll(instances: readonly NeededInstance[]): boolean {
    const connects = ({ identity, unhealthy, terms }: ServedInstance) =>
      identity === undefined && unhealthy !== true && terms?.enabled !== false;
    const mayBe = (served: ServedInstance, needed: string | undefined) =>
      needed === undefined || served.identity === needed || connects(served);
    return this.others.some(
      ({ draining, serves }) =>
        draining !== true &&
        instances.every(({ name, identity }) => serves.some((each) => each.name === name && mayBe(each, identity))),
    );
  }

  /** The part of the rate limits of a cloud that the record of this broker is to tell. */
  shareToTell(identity: string): number {
    return rateShare(identity, this.#me, this.#all);
  }

  /** The part of the rate limits of a cloud that this broker may use now. */
  share(identity: string): number {
    return usedShare(identity, this.#me, this.#all, this.#told.get(identity));
  }
}
