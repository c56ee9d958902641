import type { BudgetRules } from '../budgets/budgets.ts';
import { UsageTagging } from '../model/usage/usage-tags.ts';
import type { Clock } from '../contract/clock.ts';
import { BrokerError } from '../contract/errors.ts';
import { newRequestId } from '../model/ids.ts';
import type { MachineRecord } from '../model/machine.ts';
import { type RequestRecord } from '../model/request.ts';
import type { RequestDetail } from '../contract/scheduler.ts';
import type { Chosen } from '../providers/choose.ts';
import type { Store } from '../contract/storage.ts';
import { noTracer, type TraceContext, type Tracer } from '../tracing/tracer.ts';
import { commitWithKnownOutcome } from './commit-with-known-outcome.ts';
import { detailOf } from './queries/detail.ts';
import { refuseHeld } from './leases/held-machines.ts';
import { termsChanged } from './leases/terms.ts';
import { openReturn, returnAsOpened } from './open-return.ts';
import { existsAlready, requestUnderKey, type IdempotencyKey } from './idempotency.ts';
import { machinesNamed, type MachineName } from './queries/machines-named.ts';
import {
  asOpened,
  checkCount,
  checkNames,
  checkSize,
  openRequest,
  type OpeningRules,
  type OpenedRequest,
  type RequestInput,
} from './open-request.ts';

/**
 * The identity that a caller gives to a new request. A repeated call with the same identity gets the existing request.
 */
export interface GivenIdentity {
  readonly request_id?: string;
  readonly key?: IdempotencyKey;
}

/** How often a return is repeated because machines were extended or held at the same moment. */
const mostTries = 20;

/** Makes requests and returns with one durable write each; the loop does everything else. */
export class RequestService {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #rules: OpeningRules;
  readonly #maxPending: number;
  readonly #tracer: Tracer;
  #pending = { count: 0, read_at: -Infinity };

  /** `usageTags`: the names of the tags by which use is summed up. */
  constructor(
    store: Store,
    clock: Clock,
    budgets: BudgetRules,
    maxPending: number,
    tracer: Tracer = noTracer,
    usageTags: readonly string[] = [],
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#rules = { budgets, usageTagging: new UsageTagging(usageTags) };
    this.#maxPending = maxPending;
    this.#tracer = tracer;
  }

  /**
   * The request that an earlier call with the same `request_id` or key made, with its first answer; undefined when
   * there is none. Throws ALREADY_EXISTS when the `request_id` belongs to another call, and CONFLICT when the key
   * does.
   */
  async existing(input: RequestInput, given: GivenIdentity): Promise<RequestDetail | undefined> {
    const request = await this.#earlier(input, given);
    return request && { request: asOpened(request) };
  }

  /**
   * Throws INSTANCE_LIMIT_EXCEEDED or INVALID_REQUEST for an invalid input, and UNAVAILABLE while too many requests
   * are pending.
   */
  async admit(input: RequestInput): Promise<void> {
    checkCount(input);
    checkNames(input);
    checkSize(input);
    await this.#admit();
  }

  /**
   * Stores a request for machines with one durable write. Throws BUDGET_EXCEEDED when a budget has no room for it. Two
   * concurrent calls with one `request_id` or key get the same request.
   */
  async create(
    input: RequestInput,
    selection: Chosen,
    given: GivenIdentity & { readonly selection_ms?: number } = {},
  ): Promise<RequestDetail> {
    const { request, changes } = this.opened(input, selection, given);
    this.#tracer.annotate({ 'muster.request_id': request.request_id });
    try {
      await commitWithKnownOutcome(this.#store, this.#clock, request.request_id, changes);
    } catch (error) {
      // Of two concurrent calls with one key the other one was stored.
      const winner = existsAlready(error) ? await this.existing(input, given) : undefined;
      if (winner) return winner;
      throw error;
    }
    this.#pending.count += 1;
    return { request };
  }

  /** The request that `create` stores, and the one commit. Stores nothing. */
  opened(
    input: RequestInput,
    selection: Chosen,
    given: GivenIdentity & { readonly selection_ms?: number } = {},
  ): OpenedRequest {
    const { request_id = newRequestId(), selection_ms = 0 } = given;
    const identity = { ...given, ...this.#traced(), request_id };
    return openRequest(input, selection, selection_ms, this.#clock.now(), identity, this.#rules);
  }

  /**
   * Stores a return with one durable write. Throws MACHINE_NOT_FOUND for unknown names, and CONFLICT for ids that live
   * at several instances or are held, unless `force`. Machines that are already gone are no error.
   */
  async returnMachines(
    names: readonly MachineName[],
    timeout: number,
    given: { readonly key?: IdempotencyKey; readonly force?: boolean } = {},
  ): Promise<RequestDetail> {
    const under = given.key ? await requestUnderKey(this.#store, given.key) : undefined;
    if (under) return this.#returnAgain(under);
    const machines = await machinesNamed(this.#store, names, 'nothing is returned');
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#openReturn(machines, timeout, given);
      } catch (error) {
        if (!termsChanged(error) || tries === mostTries) throw error;
      }
    }
  }

  async #openReturn(
    machines: readonly MachineRecord[],
    timeout: number,
    given: { readonly key?: IdempotencyKey; readonly force?: boolean },
  ): Promise<RequestDetail> {
    const now = this.#clock.now();
    const conditions = given.force ? [] : await refuseHeld(this.#store, machines, now);
    const { request, signals, changes } = openReturn(machines, timeout, now, {
      ...(given.key ? { key: given.key } : {}),
      ...this.#traced(),
    });
    this.#tracer.annotate({ 'muster.request_id': request.request_id });
    try {
      await commitWithKnownOutcome(this.#store, this.#clock, request.request_id, [...conditions, ...changes]);
    } catch (error) {
      const winner = existsAlready(error) && given.key ? await requestUnderKey(this.#store, given.key) : undefined;
      if (winner) return this.#returnAgain(winner);
      throw error;
    }
    return { request, machines, machine_keys: signals.flatMap((signal) => signal.machines) };
  }

  #traced(): { readonly trace?: TraceContext } {
    const trace = this.#tracer.current();
    return trace ? { trace } : {};
  }

  async #returnAgain(request_id: string): Promise<RequestDetail> {
    const detail = await detailOf(this.#store, await this.#require(request_id));
    return { ...detail, request: returnAsOpened(detail.request) };
  }

  async #require(request_id: string): Promise<RequestRecord> {
    const request = await this.#store.get('request', { request_id });
    if (!request) throw requestNotFound(request_id);
    return request;
  }

  /** The request that the same call made before. */
  async #earlier(input: RequestInput, given: GivenIdentity): Promise<RequestRecord | undefined> {
    const under = given.key ? await requestUnderKey(this.#store, given.key) : undefined;
    if (under) return this.#require(under);
    if (given.request_id === undefined) return undefined;
    const request = await this.#store.get('request', { request_id: given.request_id });
    if (!request) return undefined;
    const { template, machine_count, names = [] } = input;
    const hasNames = names.join() === (request.names ?? []).join();
    if (request.template_id === template.template_id && request.machine_count === machine_count && hasNames)
      return request;
    throw new BrokerError(
      'ALREADY_EXISTS',
      `Request '${given.request_id}' already exists with other input; use a new request_id.`,
      {
        request_id: given.request_id,
      },
    );
  }

  /** Reads the count at most once a second: the limit protects the store and need not be exact. */
  async #admit(): Promise<void> {
    const now = this.#clock.monotonic();
    if (now - this.#pending.read_at > 1000) {
      this.#pending = { count: this.#pending.count, read_at: now };
      this.#pending.count = await this.#store.count('request', { status: 'pending' });
    }
    if (this.#pending.count < this.#maxPending) return;
    throw new BrokerError(
      'UNAVAILABLE',
      `${this.#pending.count} requests are pending, the maximum of server.max_pending; try again later.`,
      {
        retry_after_s: 5,
      },
    );
  }
}

export const requestNotFound = (request_id: string): BrokerError =>
  new BrokerError('REQUEST_NOT_FOUND', `No request has the id '${request_id}'.`, { request_id });
