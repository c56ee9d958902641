import { chunks } from '../collections/chunks.ts';
import type { Clock } from '../contract/clock.ts';
import { BrokerError } from '../contract/errors.ts';
import { expectedMs, expectedTopic } from './expected-machines.ts';
import { newSignalId } from '../model/ids.ts';
import { isSettled } from '../reconciler/state/attempt.ts';
import { isTerminal, type RequestRecord, type RequestStatus } from '../model/request.ts';
import type { Change, Store } from '../contract/storage.ts';
import { requestNotFound } from './request-service.ts';

const rowsAtOnce = 200;

/**
 * Commands that change the course of a request. They only insert signals; the holder of the claim does what is
 * possible at that time.
 */
export class RequestCommands {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Ends the waiting for machines now, like the time-out. Throws CONFLICT for returns and for requests that ended. */
  async complete(request_id: string): Promise<void> {
    const request = await this.#running(request_id, 'completed');
    const created_at = this.#clock.now();
    await this.#store.commit([
      {
        op: 'insert',
        kind: 'signal',
        record: {
          signal_id: newSignalId(),
          kind: 'complete',
          request_id: request.request_id,
          machines: [],
          created_at,
          applied: false,
        },
      },
      {
        op: 'insert',
        kind: 'event',
        record: { seq: 0, at: created_at, type: 'request.complete_requested', request_id, data: {} },
      },
    ]);
  }

  /**
   * Whether an operator may set the status of a request. Returns false when the request already has the status. Throws
   * CONFLICT for a transition that does not exist, for a status that only the loop sets, and for an end while machines
   * may still arrive.
   */
  async checkTransition(request_id: string, status: RequestStatus): Promise<boolean> {
    const request = await this.#get(request_id);
    if (request.status === status) return false;
    const no = (why: string) =>
      new BrokerError('CONFLICT', `Request '${request_id}' cannot become ${status}: ${why}.`, {
        status: request.status,
      });
    if (isTerminal(request.status)) throw no(`it is ${request.status}, and that never changes`);
    if (request.kind === 'return') throw no('a return ends by itself when its machines are gone');
    if (status === 'pending' || status === 'in_progress')
      throw no('only the progress at the providers sets this status');
    if (status === 'cancelled') return true;
    const attempts = await this.#store.find('attempt', { where: { request_id } });
    if (attempts.length === 0 || !attempts.every(isSettled))
      throw no('machines may still arrive; complete_request ends the waiting, a cancel releases them');
    if (status === 'completed' && request.delivered === 0) throw no('it has no machine');
    if (status === 'failed' && request.delivered > 0)
      throw no(`it has ${request.delivered} machines; a cancel releases them`);
    return true;
  }

  /**
   * Triggers the loop to ask the provider for machines that belong to the request according to the caller. Machines
   * that the request already tracks are skipped. Machines that the provider confirms within ten minutes are added to
   * the request; the others are forgotten.
   */
  async populate(request_id: string, machine_ids: readonly string[]): Promise<void> {
    await this.#get(request_id);
    const machines = await this.#store.find('machine', { where: { request_id, gone_at: null } });
    const known = new Set(machines.map(({ machine_id }) => machine_id));
    const at = this.#clock.now();
    const questions = [...new Set(machine_ids)]
      .filter((id) => !known.has(id))
      .map(
        (item): Change => ({
          op: 'put',
          kind: 'fact',
          record: { topic: expectedTopic, name: request_id, item, value: {}, at, until: at + expectedMs },
        }),
      );
    for (const part of chunks(questions, rowsAtOnce)) await this.#store.commit(part);
  }

  async #running(request_id: string, what: string): Promise<RequestRecord> {
    const request = await this.#get(request_id);
    if (request.kind === 'return')
      throw new BrokerError('CONFLICT', `'${request_id}' is a return and cannot be ${what} by hand.`);
    if (isTerminal(request.status))
      throw new BrokerError('CONFLICT', `Request '${request_id}' is ${request.status} already.`);
    return request;
  }

  async #get(request_id: string): Promise<RequestRecord> {
    const request = await this.#store.get('request', { request_id });
    if (!request) throw requestNotFound(request_id);
    return request;
  }
}
