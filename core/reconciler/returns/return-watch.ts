import { queryInParts } from '../../collections/query-in-parts.ts';
import { machineKey, type MachineKey, type MachineRecord } from '../../model/machine.ts';
import type { RequestRecord } from '../../model/request.ts';
import type { Store } from '../../contract/storage.ts';
import type { ReturnProgress } from './apply-return-progress.ts';
import { isAlive } from '../state/machine-life.ts';
import { releaseRefusal, type ReleaseRefusal } from './release-refusal.ts';

/** Of so many looks one reads why nothing moves: it reads the orders of all requests of the machines. */
const rarely = 8;

/**
 * Observes the machines of one return. Each call counts the machines with its id, and reads only the few that an
 * earlier return took: the cost does not depend on the number of machines of their requests.
 */
export class ReturnWatch {
  readonly #store: Store;
  readonly #request: RequestRecord;
  /**
   * The living machines of the return that have the id of an earlier return; undefined until the return was applied.
   */
  #others: readonly MachineKey[] | undefined;
  #instances: ReadonlySet<string> = new Set();
  /** How many were left at the last look, and how many looks found as many as the one before. */
  #left: number | undefined;
  #still = 0;
  #refusal: ReleaseRefusal | undefined;

  constructor(store: Store, request: RequestRecord) {
    this.#store = store;
    this.#request = request;
  }

  /** `configured`: whether an instance is configured. */
  async progress(configured: (instance: string) => boolean): Promise<ReturnProgress> {
    const return_id = this.#request.request_id;
    const waiting = await this.#store.count('signal', { return_id, applied: false });
    if (waiting > 0) return { left: this.#request.machine_count, accepted: false, missing: [] };
    this.#others = await this.#alive(this.#others ?? (await this.#named()));
    const left = this.#others.length + (await this.#store.count('machine', { return_id, gone_at: null }));
    const missing: string[] = [];
    for (const name of this.#instances) {
      if (left === 0 || configured(name)) continue;
      const there = await this.#store.count('machine', { return_id, gone_at: null, provider_instance: name });
      if (there > 0 || this.#others.some(({ provider_instance }) => provider_instance === name)) missing.push(name);
    }
    const refusal = await this.#why(left);
    return { left, accepted: true, missing, ...(refusal ? { refusal } : {}) };
  }

  /** Why nothing moves. */
  async #why(left: number): Promise<ReleaseRefusal | undefined> {
    this.#still = left === this.#left ? this.#still + 1 : 0;
    this.#left = left;
    if (left === 0 || this.#still === 0) this.#refusal = undefined;
    else if (this.#still === 1 || this.#still % rarely === 0)
      this.#refusal = await releaseRefusal(this.#store, this.#request);
    return this.#refusal;
  }

  async #named(): Promise<readonly MachineKey[]> {
    const signals = await this.#store.find('signal', { where: { return_id: this.#request.request_id } });
    const named = signals.flatMap(({ machines }) => machines);
    this.#instances = new Set(named.map(({ provider_instance }) => provider_instance));
    return named;
  }

  /** Those of the machines that live and do not have the id of this return. */
  async #alive(keys: readonly MachineKey[]): Promise<readonly MachineRecord[]> {
    const named = new Set(keys.map(machineKey));
    const ids = keys.map((key) => key.machine_id);
    const found = await queryInParts(ids, (machine_id) => this.#store.find('machine', { where: { machine_id } }));
    return found.filter(
      (machine) =>
        named.has(machineKey(machine)) && isAlive(machine) && machine.return_id !== this.#request.request_id,
    );
  }
}
