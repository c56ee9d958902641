import { chunks } from '../../../collections/chunks.ts';
import type { Store } from '../../../contract/storage.ts';
import type { MachineRecord, MachineStatus } from '../../../model/machine.ts';
import { hasReached, isAlive } from '../../state/machine-life.ts';

/** The most machines of one query. */
const atOnce = 200;
/** The most notices that are kept. */
const most = 5_000;
/** A machine of muster is stored with its state within this time after the notice. */
const keptMs = 120_000;
/** The shortest time between two searches. */
const searchMs = 5_000;

/** What a notice says about a machine. */
export interface NoticedState {
  readonly machine_id: string;
  readonly status: MachineStatus;
}

/** Whether a machine is in a state, or was. */
export const isConfirmed = (machine: MachineRecord, status: MachineStatus): boolean =>
  !isAlive(machine) || hasReached(machine.status, status);

/**
 * Notices of states that their machines do not have yet: the machine is not stored or not observed yet, it belongs to
 * others, or the notice is false. Once its machine has the state, a notice shows that the notices of the instance
 * arrive.
 */
export class UnconfirmedStates {
  /** By machine and state, with the time of the notice in epoch milliseconds. The oldest is first. */
  readonly #came = new Map<string, NoticedState & { readonly at: number }>();
  #searched = -Infinity;

  add(noticed: readonly NoticedState[], now: number): void {
    for (const each of noticed) {
      const key = `${each.machine_id} ${each.status}`;
      this.#came.delete(key);
      this.#came.set(key, { ...each, at: now });
    }
    this.#drop(now);
  }

  /** The instances of the machines that have the state by now, with the time of the notice. */
  async confirmed(store: Store, now: number): Promise<readonly { readonly instance: string; readonly at: number }[]> {
    if (this.#came.size === 0 || Math.abs(now - this.#searched) < searchMs) return [];
    this.#searched = now;
    const found: { instance: string; at: number }[] = [];
    const byMachine = Map.groupBy([...this.#came], ([, { machine_id }]) => machine_id);
    for (const machine_id of chunks([...byMachine.keys()], atOnce))
      for (const machine of await store.find('machine', { where: { machine_id } }))
        for (const [key, { status, at }] of byMachine.get(machine.machine_id) ?? []) {
          if (!isConfirmed(machine, status)) continue;
          found.push({ instance: machine.provider_instance, at });
          this.#came.delete(key);
        }
    this.#drop(now);
    return found;
  }

  #drop(now: number): void {
    for (const [key, { at }] of this.#came) {
      if (this.#came.size <= most && Math.abs(now - at) < keptMs) return;
      this.#came.delete(key);
    }
  }
}
