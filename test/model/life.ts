import type { BrokerRecord, Clock } from '../../core/index.ts';
import type { ProviderInstance } from '../../core/model/provider-instance.ts';
import type { RunningLoop } from '../../core/reconciler/running-loop.ts';
import type { Host, Sleeping, Time } from './time.ts';

/** Where a life may be cut short: the `nth` time that it comes there. */
export interface Trap {
  readonly on: 'commit' | 'full commit' | 'read' | 'launch' | 'observe' | 'release' | 'prepare' | 'dispose' | 'remove';
  readonly side: 'before' | 'after';
  nth: number;
  /** What becomes of the call to a cloud in which it happens. */
  readonly executed: 'yes' | 'no' | 'late';
  spring(life: Life): void;
}

/** How the storage fails a loop: what was not written, or what is not known to be. */
export type StoreFault = 'refused' | 'unknown, written' | 'unknown, not written';

/** One run of a loop, from its start to its end, which may come between any two of its steps. */
export class Life implements Sleeping {
  readonly name: string;
  readonly broker: BrokerRecord;
  readonly host: Host;
  readonly clock: Clock;
  readonly instances: readonly ProviderInstance[];
  state: 'running' | 'frozen' | 'dead' = 'running';
  loop: RunningLoop | undefined;
  trap: Trap | undefined;
  /** In turn, what becomes of its next commits and reads; undefined: nothing. */
  readonly commitFaults: (StoreFault | undefined)[] = [];
  readonly readFaults: (StoreFault | undefined)[] = [];
  #thawed: (() => void)[] = [];

  constructor(broker: BrokerRecord, host: Host, time: Time, instances: readonly ProviderInstance[]) {
    this.name = `${host.name}/${broker.thread}`;
    this.broker = broker;
    this.host = host;
    this.instances = instances;
    this.clock = time.clockOf(this);
  }

  /** Resolves when it may go on: at once while it and its host run, never once it is dead. */
  gate(): Promise<void> | undefined {
    return this.state === 'running' && !this.host.suspended ? undefined : this.#stand();
  }

  async #stand(): Promise<void> {
    while (this.state !== 'running' || this.host.suspended)
      await new Promise<void>((resolve) => {
        if (this.state === 'frozen') this.#thawed.push(resolve);
        else if (this.state === 'running') this.host.afterwards(resolve);
      });
  }

  kill(): void {
    this.state = 'dead';
    this.#thawed = [];
  }

  freeze(): void {
    if (this.state === 'running') this.state = 'frozen';
  }

  thaw(): void {
    if (this.state !== 'frozen') return;
    this.state = 'running';
    for (const go of this.#thawed.splice(0)) go();
  }

  /** It comes to a place where a trap may be. Gives what becomes of the call when it was caught there. */
  comesTo(on: Trap['on'], side: Trap['side']): Trap['executed'] | undefined {
    const trap = this.trap;
    if (trap?.on !== on || trap.side !== side) return undefined;
    trap.nth -= 1;
    if (trap.nth > 0) return undefined;
    this.trap = undefined;
    trap.spring(this);
    return trap.executed;
  }
}
