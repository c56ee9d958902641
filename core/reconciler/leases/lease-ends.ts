import { setImmediate as turn } from 'node:timers/promises';
import { chunks } from '../../collections/chunks.ts';
import { ClaimLost } from '../../contract/commits/claim-lost.ts';
import { newEvent } from '../../contract/commits/new-event.ts';
import type { Clock } from '../../contract/clock.ts';
import { isBrokerError } from '../../contract/errors.ts';
import type { Change, Store } from '../../contract/storage.ts';
import { machineKey, type MachineRecord } from '../../model/machine.ts';
import { defaultTimeoutS } from '../../model/request.ts';
import type { SignalRecord } from '../../model/signal.ts';
import { commitWithKnownOutcome } from '../../requests/commit-with-known-outcome.ts';
import { openReturn } from '../../requests/open-return.ts';
import { termsChanged, termsOf, unlessTerms } from '../../requests/leases/terms.ts';
import type { ClaimedRequest } from '../claims/claimed-request.ts';
import type { StorageTrouble } from '../claims/storage-trouble.ts';
import type { Machines } from '../state/machine-set.ts';
import { hasExpired } from './lease-due.ts';

/** The most requests of one return. Each takes a fence, a condition and a signal of the commit. */
const requestsAtOnce = 40;
/** The most machines of one return. The others of its requests are due again at once. */
const machinesAtOnce = 2_000;
/** The wait after the storage did not answer. */
const pauseMs = 1_000;

interface Ending {
  readonly claimed: ClaimedRequest;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Returns machines whose lease ended, with a return of the broker. Requests whose leases end at the same time share
 * one return.
 */
export class LeaseEnds {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #trouble: Pick<StorageTrouble, 'failed' | 'over'>;
  #waiting: Ending[] = [];

  constructor(store: Store, clock: Clock, trouble: Pick<StorageTrouble, 'failed' | 'over'>) {
    this.#store = store;
    this.#clock = clock;
    this.#trouble = trouble;
  }

  /**
   * Stores the return of the machines of a request whose lease ended, and passes its signals to the request. Machines
   * that waiting signals extend, hold or return are left until these are applied. Rejects as a commit under the claim.
   */
  async end(claimed: ClaimedRequest): Promise<void> {
    const ended = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ claimed, resolve, reject });
    });
    if (this.#waiting.length === 1) void this.#flush();
    return ended;
  }

  async #flush(): Promise<void> {
    // All requests that are due in one round are started in one turn, and decide in the next one.
    await turn();
    await turn();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const part of chunks(waiting, requestsAtOnce)) await this.#endTogether(part);
  }

  async #endTogether(endings: readonly Ending[]): Promise<void> {
    try {
      await this.#insist(endings);
      for (const { claimed, resolve, reject } of endings)
        if (claimed.lost) reject(new ClaimLost(claimed.request_id));
        else resolve();
    } catch (error) {
      if (endings.length > 1 && isBrokerError(error) && error.code === 'CONFLICT') {
        // One of them lost its claim or got an extension: the others must not wait for it.
        for (const ending of endings) await this.#endTogether([ending]);
        return;
      }
      // With an extension in between the request decides again.
      for (const { resolve, reject } of endings)
        if (termsChanged(error)) resolve();
        else reject(error);
    }
  }

  /** Repeats what the storage did not answer: a return that was stored all the same is among the signals then. */
  async #insist(endings: readonly Ending[]): Promise<void> {
    try {
      for (;;) {
        try {
          return await this.#return(endings);
        } catch (error) {
          const isAway = isBrokerError(error) && error.code === 'UNAVAILABLE';
          if (!isAway || endings.every(({ claimed }) => claimed.lost)) throw error;
          this.#trouble.failed(this, error);
          await this.#clock.sleep(pauseMs);
        }
      }
    } finally {
      this.#trouble.over(this);
    }
  }

  async #return(endings: readonly Ending[]): Promise<void> {
    const ids = endings.map(({ claimed }) => claimed.request_id);
    const terms = await termsOf(this.#store, ids);
    const signals = await this.#store.find('signal', {
      where: { request_id: ids, applied: false },
      order: [['created_at', 'asc']],
    });
    // A signal that a commit in progress applies is no longer read, and the request shows its effect only afterwards.
    await Promise.all(endings.map(({ claimed }) => claimed.inTurn(() => Promise.resolve())));
    const waiting = Map.groupBy(signals, ({ request_id }) => request_id);
    const machines: MachineRecord[] = [];
    const conditions: Change[] = [];
    const holders = new Map<string, ClaimedRequest>();
    for (const { claimed } of endings) {
      const theirs = waiting.get(claimed.request_id) ?? [];
      for (const signal of theirs) claimed.hear(signal);
      const ended = expiredOf(claimed, theirs, machinesAtOnce - machines.length);
      // Of a lost claim the condition would refuse the return of all.
      if (ended.length === 0 || claimed.lost) continue;
      machines.push(...ended);
      holders.set(claimed.request_id, claimed);
      const { request_id, epoch } = claimed.claim;
      conditions.push({ op: 'fence', request_id, epoch }, unlessTerms(request_id, terms(request_id)));
    }
    if (machines.length === 0) return;
    const now = this.#clock.now();
    const opened = openReturn(machines, defaultTimeoutS, now, { expired: true });
    const { request_id: return_id } = opened.request;
    await commitWithKnownOutcome(this.#store, this.#clock, return_id, [
      ...conditions,
      ...opened.changes,
      ...eventsOf(machines, return_id, now),
    ]);
    for (const signal of opened.signals) deliver(holders, signal);
  }
}

function deliver(holders: ReadonlyMap<string, ClaimedRequest>, signal: SignalRecord): void {
  holders.get(signal.request_id)?.hear(signal);
}

function expiredOf(claimed: ClaimedRequest, waiting: readonly SignalRecord[], most: number): readonly MachineRecord[] {
  const now = claimed.now();
  const { machines } = claimed.state;
  const changed = new Set(
    waiting
      .filter(({ kind }) => kind === 'extend' || kind === 'hold' || kind === 'return')
      .flatMap((signal) => signal.machines.map(machineKey)),
  );
  const ended: MachineRecord[] = [];
  for (const machine of machines.all()) {
    if (ended.length === most) break;
    if (hasExpired(machine, now) && !keysOf(machine, machines).some((key) => changed.has(key))) ended.push(machine);
  }
  return ended;
}

/** A machine, and those that it replaced: who extends one of these extends the machine. */
function keysOf(machine: MachineRecord, machines: Machines): readonly string[] {
  const keys: string[] = [];
  for (let each: MachineRecord | undefined = machine; each && !keys.includes(machineKey(each)); ) {
    keys.push(machineKey(each));
    each = each.replaces && machines.get(each.replaces);
  }
  return keys;
}

/** One event for each request and instance. */
function eventsOf(machines: readonly MachineRecord[], return_id: string, now: number): readonly Change[] {
  const groups = Map.groupBy(machines, ({ request_id, provider_instance }) => `${request_id} ${provider_instance}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const { request_id, provider_instance } = first;
    const machine_ids = group.map(({ machine_id }) => machine_id);
    return [newEvent(now, 'machine.expired', { provider_instance, machine_ids, return_id }, request_id)];
  });
}
