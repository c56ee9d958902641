import { chunks } from '../../../collections/chunks.ts';
import type { Store } from '../../../contract/storage.ts';

/** The most machines of one query. */
const atOnce = 200;
/** The most machines that are kept. */
const most = 5_000;
/** A machine of muster is stored within this time after its first notice. */
const keptMs = 120_000;
/** The shortest time between two searches. */
const searchMs = 5_000;

/**
 * Notices of a new state that came before their machine was stored, or that concern machines of others. Such a notice
 * has no effect, but it shows that the notices of the instance arrive.
 */
export class EarlyStates {
  /** By machine: when the notice came, in epoch milliseconds. The oldest is first. */
  readonly #came = new Map<string, number>();
  #searched = -Infinity;

  add(machine_ids: readonly string[], now: number): void {
    for (const id of machine_ids) {
      this.#came.delete(id);
      this.#came.set(id, now);
    }
    this.#drop(now);
  }

  /** The instances of the machines that are stored by now, with the time of the notice. */
  async found(store: Store, now: number): Promise<readonly { readonly instance: string; readonly at: number }[]> {
    if (this.#came.size === 0 || Math.abs(now - this.#searched) < searchMs) return [];
    this.#searched = now;
    const found: { instance: string; at: number }[] = [];
    for (const machine_id of chunks([...this.#came.keys()], atOnce))
      for (const machine of await store.find('machine', { where: { machine_id } })) {
        found.push({ instance: machine.provider_instance, at: this.#came.get(machine.machine_id) ?? now });
        this.#came.delete(machine.machine_id);
      }
    this.#drop(now);
    return found;
  }

  #drop(now: number): void {
    for (const [id, at] of this.#came) {
      if (this.#came.size <= most && Math.abs(now - at) < keptMs) return;
      this.#came.delete(id);
    }
  }
}
