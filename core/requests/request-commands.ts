import { chunks } from '../collections/chunks.ts';
import type { Clock } from '../contract/clock.ts';
import { newEvent } from '../contract/commits/new-event.ts';
import { BrokerError, isBrokerError } from '../contract/errors.ts';
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
    await this.#checkRunning(request_id, 'completed');
    await this.#signal('complete', request_id);
  }

  /**
   * Requests the cancellation of a provisioning request, which releases all its machines. Throws CONFLICT for a
   * completed or failed request and for a return. Idempotent.
   */
  async cancel(request_id: string, reason: string | undefined): Promise<void> {
    const request = await this.#get(request_id);
    if (request.kind === 'return')
      throw new BrokerError('CONFLICT', `'${request_id}' is a return and cannot be cancelled.`);
    if (request.status === 'cancelled') return;
    if (isTerminal(request.status)) {
      throw new BrokerError(
        'CONFLICT',
        `Request '${request_id}' is ${request.status} already; return its machines instead.`,
      );
    }
    const waiting = await this.#store.find('signal', { where: { request_id, applied: false } });
    if (request.cancel_requested_at === undefined && !waiting.some((signal) => signal.kind === 'cancel'))
      await this.#signal('cancel', request_id, reason ? { reason } : {});
  }

  /** Cancels every provisioning request that has not ended. Returns their ids. */
  async cancelAll(reason: string): Promise<readonly string[]> {
    const open = await this.#store.find('request', {
      where: { kind: 'provision', status: ['pending', 'in_progress'] },
    });
    const cancelled: string[] = [];
    for (const { request_id } of open) {
      try {
        await this.cancel(request_id, reason);
        cancelled.push(request_id);
      } catch (error) {
        // The request ended meanwhile. Its machines are returned like all others.
        if (!isBrokerError(error) || error.code !== 'CONFLICT') throw error;
      }
    }
    return cancelled;
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

  async #checkRunning(request_id: string, what: string): Promise<void> {
    const request = await this.#get(request_id);
    if (request.kind === 'return')
      throw new BrokerError('CONFLICT', `'${request_id}' is a return and cannot be ${what} by hand.`);
    if (isTerminal(request.status))
      throw new BrokerError('CONFLICT', `Request '${request_id}' is ${request.status} already.`);
  }

  async #signal(
    kind: 'cancel' | 'complete',
    request_id: string,
    why: { readonly reason?: string } = {},
  ): Promise<void> {
    const at = this.#clock.now();
    const signal_id = newSignalId();
    const record = { signal_id, kind, request_id, machines: [], ...why, created_at: at, applied: false };
    await this.#store.commit([
      { op: 'insert', kind: 'signal', record },
      newEvent(at, `request.${kind}_requested`, why, request_id),
    ]);
  }

  async #get(request_id: string): Promise<RequestRecord> {
    const request = await this.#store.get('request', { request_id });
    if (!request) throw requestNotFound(request_id);
    return request;
  }
}
