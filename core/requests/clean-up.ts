import { newEvent } from '../contract/commits/new-event.ts';
import type { Clock } from '../contract/clock.ts';
import { isBrokerError } from '../contract/errors.ts';
import type { RequestRecord } from '../model/request.ts';
import type { Change, Store } from '../contract/storage.ts';
import { withoutTerms } from './leases/terms.ts';

const rowsAtOnce = 200;
const requestsAtOnce = 100;
const finished = ['completed', 'failed', 'cancelled'] as const;

/** What a clean-up removed. */
export interface Removed {
  readonly requests: number;
  readonly machines: number;
}

/**
 * Removes records of requests that ended, whose machines are all gone and that left nothing in a cloud. A request that
 * is still running, or with anything left to release, is never touched.
 */
export class CleanUp {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Removes requests that ended more than `older_than_days` days ago, with all their records. After a crash a request
   * still has all its records, or only lacks some machines.
   */
  async requests(older_than_days: number): Promise<Removed> {
    let removed: Removed = { requests: 0, machines: 0 };
    for await (const request of this.#over(older_than_days)) {
      const machines = await this.#remove(request);
      if (machines !== undefined) removed = { requests: removed.requests + 1, machines: removed.machines + machines };
    }
    return removed;
  }

  /** Removes the machine records of requests that ended more than `older_than_days` days ago. The requests stay. */
  async machines(older_than_days: number): Promise<Removed> {
    let machines = 0;
    for await (const request of this.#over(older_than_days)) {
      if (!(await this.#endKeeping(request))) continue;
      const removed = await this.#removeMachines(request.request_id);
      if (removed > 0) await this.#raiseVersion(request.request_id);
      machines += removed;
    }
    return { requests: 0, machines };
  }

  async *#over(older_than_days: number): AsyncGenerator<RequestRecord> {
    const before = this.#clock.now() - older_than_days * 86_400_000;
    // `next_at: null` means that the loop has no more work for the request, so all machines are gone and nothing is
    // left in a cloud.
    const where = { status: [...finished], completed_at: { before }, next_at: null };
    let passed = 0;
    for (;;) {
      const page = await this.#store.find('request', {
        where,
        order: [['created_at', 'asc']],
        limit: requestsAtOnce,
        offset: passed,
      });
      for (const request of page) {
        yield request;
        // A removed request moves the later ones up by one; a request that stays is skipped by the offset.
        if (await this.#store.get('request', { request_id: request.request_id })) passed += 1;
      }
      if (page.length < requestsAtOnce) return;
    }
  }

  /**
   * The number of machines to replace is computed from the rows that are removed here, so the request stops replacing.
   * Returns false when it is at work again.
   */
  async #endKeeping(request: RequestRecord): Promise<boolean> {
    if (request.template?.replace_lost !== true || request.kept_count === 0) return true;
    return this.#update({ ...request, kept_count: 0 });
  }

  /** Interfaces keep answers by the version of the request. */
  async #raiseVersion(request_id: string): Promise<void> {
    const record = await this.#store.get('request', { request_id });
    if (record) await this.#update(record);
  }

  /**
   * Stores a request as long as nobody has claimed it since it was read: its holder knows the version. Returns false
   * when somebody has; then the request is at work again, and its holder raises the version.
   */
  async #update(record: RequestRecord): Promise<boolean> {
    const { request_id, epoch, version } = record;
    try {
      await this.#store.commit([
        { op: 'fence', request_id, epoch },
        { op: 'update', kind: 'request', record, version },
      ]);
      return true;
    } catch (error) {
      if (!isBrokerError(error) || error.code !== 'CONFLICT') throw error;
      return false;
    }
  }

  async #removeMachines(request_id: string): Promise<number> {
    let count = 0;
    for (;;) {
      const gone = (await this.#store.find('machine', { where: { request_id }, limit: rowsAtOnce })).filter(
        (machine) => machine.gone_at !== undefined,
      );
      if (gone.length === 0) return count;
      await this.#store.commit(
        gone.map(({ provider_instance, machine_id }) => ({
          op: 'delete',
          kind: 'machine',
          key: { provider_instance, machine_id },
        })),
      );
      count += gone.length;
    }
  }

  /** Removes a request; returns the number of its machines, or undefined when the request is still needed. */
  async #remove(request: RequestRecord): Promise<number | undefined> {
    const { request_id } = request;
    const signalsOf = request.kind === 'return' ? { return_id: request_id } : { request_id };
    if (await this.#isNeeded(request_id, signalsOf)) return undefined;
    const machines = await this.#removeMachines(request_id);
    const [attempts, signals, keys] = await Promise.all([
      this.#store.find('attempt', { where: { request_id } }),
      this.#store.find('signal', { where: signalsOf }),
      this.#store.find('key', { where: { request_id } }),
    ]);
    const at = this.#clock.now();
    const changes: Change[] = [
      // The version makes the delete fail if another writer changed the request, which is then still needed.
      { op: 'delete', kind: 'request', key: { request_id }, version: request.version },
      ...attempts.map(({ attempt }): Change => ({ op: 'delete', kind: 'attempt', key: { request_id, attempt } })),
      ...signals.map(({ signal_id }): Change => ({ op: 'delete', kind: 'signal', key: { signal_id } })),
      // The key stays, so that a repeated call does not start machines again.
      ...keys.map((record): Change => ({ op: 'put', kind: 'key', record: { ...record, purged_at: at } })),
      withoutTerms(request_id),
      newEvent(at, 'request.purged', { machines }, request_id),
    ];
    try {
      await this.#store.commit(changes);
      return machines;
    } catch (error) {
      if (isBrokerError(error) && error.code === 'CONFLICT') return undefined;
      throw error;
    }
  }

  /**
   * Whether a signal waits, or a machine lives. A return that ended by its time-out is still carried out: its signals
   * wait for the holders of the requests whose machines it returns.
   */
  async #isNeeded(
    request_id: string,
    signalsOf: { readonly request_id: string } | { readonly return_id: string },
  ): Promise<boolean> {
    const [signals, alive] = await Promise.all([
      this.#store.count('signal', { ...signalsOf, applied: false }),
      this.#store.count('machine', { request_id, gone_at: null }),
    ]);
    return signals + alive > 0;
  }
}
