import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { DatabaseWay } from '../../support/database-way.ts';
import type { FastClock } from '../campaign/fast-clock.ts';
import { startLife, type Life } from '../campaign/life.ts';
import type { Attack } from '../campaign/kill-point.ts';

export interface BrokerPlace {
  readonly name: string;
  readonly directory: string;
  readonly clock: FastClock;
  readonly way: DatabaseWay;
  /** Whether it has all provider instances. */
  readonly whole: boolean;
  /** The name of its host; absent: all brokers have the same one. */
  readonly host?: string;
}

/** One of several brokers on a database, in one life after the other. */
export class Broker {
  readonly place: BrokerPlace;
  readonly outputs: string[] = [];
  /** Where it answers. */
  url: string | undefined;
  /** It will not be started again while faults are made. */
  gone = false;
  #life: Life | undefined;
  #how: number | NodeJS.Signals | undefined;

  constructor(place: BrokerPlace) {
    this.place = place;
  }

  /** Why it ended, if it did. */
  get ended(): number | NodeJS.Signals | undefined {
    return this.#how;
  }

  get runs(): boolean {
    return this.#life !== undefined && this.#how === undefined;
  }

  /** Begins a life. Its address is known later. */
  start(attack: Attack, set_by = 0): void {
    const { directory, clock, host } = this.place;
    const own = host === undefined ? {} : { host };
    const life = startLife(directory, { ...attack, ...own, storage: 'postgres', clock: { ...clock, set_by } });
    this.#life = life;
    this.#how = undefined;
    void life.url.then((url) => {
      if (this.#life === life && this.#how === undefined) this.url = url;
    });
    void life.ended.then((how) => {
      this.outputs.push(`--- ${this.place.name} ---`, life.output(), `--- ${how} ---`);
      if (this.#life !== life) return;
      this.#how = how;
      this.url = undefined;
    });
  }

  signal(signal: NodeJS.Signals): void {
    if (this.runs) this.#life?.signal(signal);
  }

  async end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | undefined> {
    this.signal(signal);
    return this.#life?.ended;
  }

  /** Whether the system stopped it. */
  get stopped(): boolean {
    try {
      return this.runs && /^State:\sT/m.test(readFileSync(`/proc/${this.#life?.pid}/status`, 'utf8'));
    } catch {
      return false;
    }
  }

  /** Waits until it ended, or is stopped, or the time is over, or `over`. */
  async comesToRest(within_ms: number, over: () => boolean): Promise<void> {
    for (const end = performance.now() + within_ms; performance.now() < end && !over(); await wait(10))
      if (!this.runs || this.stopped) return;
  }

  account(): string {
    return [...this.outputs, ...(this.runs ? [`--- ${this.place.name} ---`, this.#life?.output() ?? ''] : [])].join(
      '\n',
    );
  }
}
