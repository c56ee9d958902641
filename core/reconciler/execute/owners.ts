import { queryInParts } from '../../collections/query-in-parts.ts';
import { recentlyUsed } from '../../collections/recently-used.ts';
import type { Log } from '../../contract/log.ts';
import type { AttemptRecord } from '../../model/attempt.ts';
import { machineKey, type MachineRecord } from '../../model/machine.ts';
import type { Machines } from '../state/machine-set.ts';
import type { MachineReport } from '../../contract/provider/orders-and-reports.ts';
import type { Store } from '../../contract/storage.ts';
import { turn } from '../../collections/turn.ts';

/** How many reports are handled before other work runs. */
const reportsAtOnce = 500;
/** The most machines that are remembered while their reports are being stored. */
const mostAtOnce = 20_000;

export interface OwnReports {
  readonly machines: readonly MachineReport[];
  /** Names the owner of the removed machines. null: all machines are those of the request. Absent: none was new. */
  readonly trouble?: string | null;
}

/**
 * Assigns machines to requests. A plugin that reports one machine for two requests breaks its contract. The machine
 * stays with the request that had it first, because two callers must never get the same machine. A machine that is
 * gone may be reported again and must stay tracked.
 */
export class Owners {
  readonly #store: Pick<Store, 'find'>;
  readonly #log: Log;
  /** The requests of this process whose new machines may not be stored yet. */
  readonly #taking = recentlyUsed<string>(mostAtOnce);

  constructor(store: Pick<Store, 'find'>, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /**
   * The reports for an attempt, without machines of other requests. `known`: the machines of this request. Reads the
   * store only for unknown machines.
   */
  async ownReports(attempt: AttemptRecord, known: Machines, reports: readonly MachineReport[]): Promise<OwnReports> {
    const { provider_instance, request_id } = attempt;
    const fresh = reports
      .map(({ machine_id }) => machine_id)
      .filter((machine_id) => !known.get({ provider_instance, machine_id }));
    if (fresh.length === 0) return { machines: reports };
    const there = await this.#stored(provider_instance, fresh);
    const theirs = new Map(
      there
        .filter((each) => each.request_id !== request_id && each.gone_at === undefined)
        .map((each) => [each.machine_id, each.request_id]),
    );
    const stored = new Set(there.map(({ machine_id }) => machine_id));
    for (const [index, machine_id] of fresh.entries()) {
      if (index % reportsAtOnce === 0) await turn();
      if (theirs.has(machine_id)) continue;
      const key = machineKey({ provider_instance, machine_id });
      const taker = this.#taking.get(key);
      if (taker === undefined || stored.has(machine_id)) this.#taking.set(key, request_id);
      else if (taker !== request_id) theirs.set(machine_id, taker);
    }
    if (theirs.size === 0) return { machines: reports, trouble: null };
    const [[first, owner] = []] = theirs;
    const trouble = `The plugin of '${provider_instance}' reports machine ${first} for request ${request_id}, but it belongs to request ${owner} (${theirs.size} such machines). An id must never be used twice.`;
    this.#log.error({ request_id, attempt: attempt.attempt, machine_ids: [...theirs.keys()].slice(0, 20) }, trouble);
    return { machines: reports.filter(({ machine_id }) => !theirs.has(machine_id)), trouble };
  }

  /**
   * The stored machines with these ids. When the store fails, all reports count as those of this request, because no
   * report may be dropped.
   */
  async #stored(provider_instance: string, machine_ids: readonly string[]): Promise<readonly MachineRecord[]> {
    try {
      return await queryInParts(machine_ids, (machine_id) =>
        this.#store.find('machine', { where: { provider_instance, machine_id } }),
      );
    } catch (error) {
      this.#log.warn({ err: error, provider_instance }, 'The owners of the reported machines could not be read.');
      return [];
    }
  }
}
