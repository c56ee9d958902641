import { chunks } from '../../collections/chunks.ts';
import { queryInParts } from '../../collections/query-in-parts.ts';
import type { Clock } from '../../contract/clock.ts';
import { newEvent } from '../../contract/commits/new-event.ts';
import { BrokerError, isBrokerError } from '../../contract/errors.ts';
import type { Change, Store } from '../../contract/storage.ts';
import { newSignalId } from '../../model/ids.ts';
import { machineKey, type MachineRecord } from '../../model/machine.ts';
import type { SignalRecord } from '../../model/signal.ts';
import { machinesNamed, type MachineName } from '../queries/machines-named.ts';
import { nextTerms, termsChanged, termsOf, unlessTerms } from './terms.ts';
import { standOf, type Stand } from './stand.ts';

/** The outcome for one machine. */
export interface Extended {
  readonly machine: MachineRecord;
  /** Epoch milliseconds. */
  readonly expires_at: number;
}
export interface HeldMachine {
  readonly machine: MachineRecord;
  /** Epoch milliseconds. Absent: the hold was ended. */
  readonly held_until?: number;
  /** Epoch milliseconds. Absent: the machine has no lease. */
  readonly expires_at?: number;
}

/** The outcome of a call for several machines. */
export interface Termed<T> {
  readonly done: readonly T[];
  /** Machines that began to be released at the same moment: the call has no effect on them. */
  readonly released: readonly MachineRecord[];
}

const machinesPerSignal = 500;
/** How often a call is repeated that other calls for the same request overtake. */
const mostTries = 50;

interface Call {
  readonly kind: 'extend' | 'hold';
  readonly seconds: number;
  readonly reason?: string;
}

/**
 * Extends the leases of machines, and holds machines. A call is durable when it is answered: the holder of the request
 * applies it before it returns one of the machines.
 */
export class LeaseCommands {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Adds seconds to the present end of the leases. Throws MACHINE_NOT_FOUND and CONFLICT as `machinesNamed`, and
   * CONFLICT with all reasons when a machine has no lease, is not ready, was replaced, or is released or gone: then
   * nothing is changed.
   */
  async extend(names: readonly MachineName[], seconds: number): Promise<Termed<Extended>> {
    const { stands, released } = await this.#call(names, { kind: 'extend', seconds });
    const done = stands.map(({ machine, expires_at = 0 }) => ({ machine, expires_at: expires_at + seconds * 1000 }));
    return { done, released };
  }

  /**
   * Keeps machines from being returned, by a caller or at the end of their lease, for some seconds from now on; 0 ends
   * the present hold. Throws as `extend`, but a machine needs no lease.
   */
  async hold(names: readonly MachineName[], seconds: number, reason: string): Promise<Termed<HeldMachine>> {
    const { stands, released, at } = await this.#call(names, { kind: 'hold', seconds, reason });
    const until = seconds === 0 ? {} : { held_until: at + seconds * 1000 };
    const done = stands.map(({ machine, expires_at }) => ({
      machine,
      ...until,
      ...(expires_at === undefined ? {} : { expires_at }),
    }));
    return { done, released };
  }

  /** Stores the signals of a call. `stands`: the machines as they were immediately before. */
  async #call(names: readonly MachineName[], call: Call) {
    let machines = await machinesNamed(this.#store, names, 'nothing is changed');
    for (let tries = 1; ; tries += 1) {
      const requests = [...new Set(machines.map(({ request_id }) => request_id))];
      const terms = await termsOf(this.#store, requests);
      const before = await this.#stands(machines);
      machines = before.map(({ machine }) => machine);
      refuse(before, call.kind);
      const at = this.#clock.now();
      const changes = requests.flatMap((request_id) =>
        changesOf(request_id, machines, call, { at, terms: terms(request_id) }),
      );
      try {
        await this.#commit(changes);
      } catch (error) {
        if (!termsChanged(error) || tries === mostTries) throw error;
        await this.#clock.sleep(Math.random() * Math.min(tries, 10) * 5);
        continue;
      }
      // A return that was stored before this call, and after it read the machines, shows now.
      const after = await this.#stands(machines);
      const lost = new Map(
        after.flatMap(({ machine, released }) => (released ? [[machineKey(machine), machine] as const] : [])),
      );
      if (lost.size === machines.length) refuse(after, call.kind);
      return {
        at,
        stands: before.filter(({ machine }) => !lost.has(machineKey(machine))),
        released: [...lost.values()],
      };
    }
  }

  /** The machines as they stand with all waiting signals. The signals are read first: none is missed. */
  async #stands(machines: readonly MachineRecord[]): Promise<readonly Stand[]> {
    const requests = [...new Set(machines.map(({ request_id }) => request_id))];
    const signals = await queryInParts(requests, (request_id) =>
      this.#store.find('signal', { where: { request_id, applied: false } }),
    );
    const ids = machines.map(({ machine_id }) => machine_id);
    const found = await queryInParts(ids, (machine_id) => this.#store.find('machine', { where: { machine_id } }));
    const byKey = new Map(found.map((machine) => [machineKey(machine), machine]));
    return machines.map((machine) => standOf(byKey.get(machineKey(machine)) ?? machine, signals));
  }

  /** A call whose commit has an unknown outcome is read again: repeated, it would extend twice. */
  async #commit(changes: readonly Change[]): Promise<void> {
    try {
      await this.#store.commit(changes);
    } catch (error) {
      if (!isBrokerError(error) || error.details['outcome'] !== 'unknown') throw error;
      const signal = changes.find((change) => change.op === 'insert' && change.kind === 'signal');
      if (signal?.op !== 'insert' || signal.kind !== 'signal') throw error;
      const { signal_id } = signal.record;
      if (!(await this.#store.get('signal', { signal_id }).catch(() => undefined))) throw error;
    }
  }
}

function changesOf(
  request_id: string,
  machines: readonly MachineRecord[],
  { kind, seconds, reason }: Call,
  { at, terms }: { readonly at: number; readonly terms: number },
): readonly Change[] {
  const mine = machines.filter((machine) => machine.request_id === request_id);
  const signals = chunks(mine, machinesPerSignal).map(
    (some): SignalRecord => ({
      signal_id: newSignalId(),
      kind,
      request_id,
      machines: some.map(({ provider_instance, machine_id }) => ({ provider_instance, machine_id })),
      seconds,
      terms: terms + 1,
      ...(reason === undefined ? {} : { reason }),
      created_at: at,
      applied: false,
    }),
  );
  const machine_ids = mine.map(({ machine_id }) => machine_id);
  const until = new Date(at + seconds * 1000).toISOString();
  const event =
    kind === 'extend'
      ? newEvent(at, 'machine.extended', { machine_ids, seconds }, request_id)
      : seconds === 0
        ? newEvent(at, 'machine.hold_ended', { machine_ids, reason }, request_id)
        : newEvent(at, 'machine.held', { machine_ids, seconds, until, reason }, request_id);
  return [
    unlessTerms(request_id, terms),
    nextTerms(request_id, at),
    ...signals.map((record): Change => ({ op: 'insert', kind: 'signal', record })),
    event,
  ];
}

const shownAtMost = 20;

/** Throws CONFLICT when a machine cannot be extended or held. */
function refuse(stands: readonly Stand[], kind: Call['kind']): void {
  const reasons = stands.flatMap((stand) => {
    const why = stand.released ?? (kind === 'extend' ? stand.unleased : undefined);
    return why === undefined ? [] : [{ machine_id: stand.machine.machine_id, why }];
  });
  if (reasons.length === 0) return;
  const shown = reasons.slice(0, shownAtMost).map(({ machine_id, why }) => `Machine '${machine_id}' ${why}`);
  const more = reasons.length > shownAtMost ? `, and ${reasons.length - shownAtMost} more` : '';
  const what = kind === 'extend' ? 'extended' : 'held';
  throw new BrokerError('CONFLICT', `${shown.join('; ')}${more}. Nothing is ${what}.`, {
    machine_ids: reasons.map(({ machine_id }) => machine_id),
  });
}
