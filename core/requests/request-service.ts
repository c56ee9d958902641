import type { Clock } from '../contract/clock.ts';
import { BrokerError, isBrokerError } from '../contract/errors.ts';
import { jsonFingerprint, newRequestId, newSignalId } from '../model/ids.ts';
import { isTerminal, type RequestRecord } from '../model/request.ts';
import type { ListOf, RequestDetail } from '../contract/scheduler.ts';
import type { Chosen } from '../providers/choose.ts';
import type { Query, Store } from '../contract/storage.ts';
import { answerBytes, fitting, shownBytes, weightOf } from './queries/answer-budget.ts';
import { commitWithKnownOutcome } from './commit-with-known-outcome.ts';
import { detailOf, detailsOf, type Lazy } from './queries/detail.ts';
import { openReturn, returnAsOpened } from './open-return.ts';
import { existsAlready, requestUnderKey, type IdempotencyKey } from './idempotency.ts';
import type { RefreshTrigger } from './refresh-trigger.ts';
import { machinesNamed, type MachineName } from './queries/machines-named.ts';
import { asOpened, checkCount, checkSize, openRequest, type RequestInput } from './open-request.ts';
import { RecordCache, type Version } from './queries/record-cache.ts';
import { queryInParts } from '../collections/query-in-parts.ts';

/**
 * The identity that a caller gives to a new request. A repeated call with the same identity gets the existing request.
 */
export interface GivenIdentity {
  readonly request_id?: string;
  readonly key?: IdempotencyKey;
}

/**
 * The interfaces use this service to make requests and to read them. It writes requests and signals; the loop does
 * everything else.
 */
export class RequestService {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #refreshTrigger: RefreshTrigger;
  readonly #records: RecordCache;
  readonly #maxPending: number;
  #pending = { count: 0, read_at: -Infinity };

  constructor(store: Store, clock: Clock, refreshTrigger: RefreshTrigger, maxPending: number) {
    this.#store = store;
    this.#clock = clock;
    this.#refreshTrigger = refreshTrigger;
    this.#records = new RecordCache(store);
    this.#maxPending = maxPending;
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
    checkSize(input);
    await this.#admit();
  }

  /**
   * Stores a request for machines with one durable write. Two concurrent calls with one `request_id` or key get the
   * same request.
   */
  async create(
    input: RequestInput,
    selection: Chosen,
    given: GivenIdentity & { readonly selection_ms?: number } = {},
  ): Promise<RequestDetail> {
    const { request_id = newRequestId(), selection_ms = 0 } = given;
    const { request, changes } = openRequest(input, selection, selection_ms, this.#clock.now(), {
      ...given,
      request_id,
    });
    try {
      await commitWithKnownOutcome(this.#store, this.#clock, request_id, changes);
    } catch (error) {
      // Of two concurrent calls with one key the other one was stored.
      const winner = existsAlready(error) ? await this.existing(input, given) : undefined;
      if (winner) return winner;
      throw error;
    }
    this.#pending.count += 1;
    return { request };
  }

  /**
   * Stores a return with one durable write. Throws MACHINE_NOT_FOUND for unknown names, and CONFLICT for ids that live
   * at several instances. Machines that are already gone are no error.
   */
  async returnMachines(
    names: readonly MachineName[],
    timeout: number,
    given: { readonly key?: IdempotencyKey } = {},
  ): Promise<RequestDetail> {
    const under = given.key ? await requestUnderKey(this.#store, given.key) : undefined;
    if (under) return this.#returnAgain(under);
    const machines = await machinesNamed(this.#store, names, 'nothing is returned');
    const { request, signals, changes } = openReturn(machines, timeout, this.#clock.now(), given);
    try {
      await commitWithKnownOutcome(this.#store, this.#clock, request.request_id, changes);
    } catch (error) {
      const winner = existsAlready(error) && given.key ? await requestUnderKey(this.#store, given.key) : undefined;
      if (winner) return this.#returnAgain(winner);
      throw error;
    }
    return { request, machines, machine_keys: signals.flatMap((signal) => signal.machines) };
  }

  /**
   * Requests the cancellation of a provisioning request, which releases all its machines. Returns the present state.
   * Throws CONFLICT for a completed or failed request and for a return. Idempotent.
   */
  async cancel(request_id: string, reason: string | undefined): Promise<Lazy<RequestDetail>> {
    const request = await this.#require(request_id);
    if (request.kind === 'return')
      throw new BrokerError('CONFLICT', `'${request_id}' is a return and cannot be cancelled.`);
    if (request.status === 'cancelled') return this.status(request_id, false);
    if (isTerminal(request.status)) {
      throw new BrokerError(
        'CONFLICT',
        `Request '${request_id}' is ${request.status} already; return its machines instead.`,
      );
    }
    const waiting = await this.#store.find('signal', { where: { request_id, applied: false } });
    if (request.cancel_requested_at === undefined && !waiting.some((signal) => signal.kind === 'cancel')) {
      const created_at = this.#clock.now();
      const record = {
        signal_id: newSignalId(),
        kind: 'cancel',
        request_id,
        machines: [],
        ...(reason ? { reason } : {}),
        created_at,
        applied: false,
      } as const;
      await this.#store.commit([
        { op: 'insert', kind: 'signal', record: { ...record, machines: [] } },
        {
          op: 'insert',
          kind: 'event',
          record: {
            seq: 0,
            at: created_at,
            type: 'request.cancel_requested',
            request_id,
            data: reason ? { reason } : {},
          },
        },
      ]);
    }
    return this.status(request_id, false);
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
   * The stored state of a request. With `refresh` it also triggers the loop to observe the request, without waiting.
   * Throws REQUEST_NOT_FOUND.
   */
  async status(
    request_id: string,
    machines: boolean,
    refresh = machines,
  ): Promise<Lazy<RequestDetail> & { readonly observed_at?: number }> {
    const [known] = await this.#store.versions({ where: { request_id } });
    if (!known) throw requestNotFound(request_id);
    const request = await this.#records.get(known);
    if (!request) throw requestNotFound(request_id);
    if (refresh) for (const id of request.origins ?? [request_id]) this.#refreshTrigger.refresh(id);
    const times = [this.#refreshTrigger.refreshedAt(request_id), request.observed_at].filter((at) => at !== undefined);
    const observed_at = times.length === 0 ? undefined : Math.max(...times);
    const versions = [
      known,
      ...(request.origins ? await this.#store.versions({ where: { request_id: request.origins } }) : []),
    ];
    return {
      cache_key: `${versions.map((each) => `${each.request_id}:${each.version}`).join(',')}:${machines}`,
      ...(observed_at === undefined ? {} : { observed_at }),
      load: () => (machines ? this.#withMachines(request) : Promise.resolve({ request })),
    };
  }

  /**
   * The stored states of the named requests, each once, in the given order, from `offset` on. Unknown ids are in
   * `not_found`. With machines it also triggers the loop to observe them.
   */
  async several(request_ids: readonly string[], machines: boolean, offset = 0): Promise<Lazy<ListOf<RequestDetail>>> {
    const unique = [...new Set(request_ids)];
    const named = await requestsNamed(this.#store, unique.slice(offset));
    const { requests, taken } = await this.#some(
      named.versions,
      ({ machine_count, additional_data = {} }) =>
        shownBytes(machines ? machine_count : 0) + weightOf(additional_data),
    );
    const cut = taken < named.versions.length ? unique.indexOf(named.versions[taken]?.request_id ?? '') : undefined;
    const before = new Set(unique.slice(0, cut));
    const found = {
      versions: named.versions.slice(0, taken),
      not_found: named.not_found.filter((id) => before.has(id)),
    };
    if (machines)
      for (const { request_id, origins } of requests)
        for (const id of origins ?? [request_id]) this.#refreshTrigger.refresh(id);
    const of_origins = machines
      ? await requestsNamed(
          this.#store,
          requests.flatMap(({ origins = [] }) => origins),
        )
      : undefined;
    return {
      cache_key: jsonFingerprint([found, of_origins?.versions, machines, cut]),
      load: async () => ({
        items: machines ? await detailsOf(this.#store, requests) : requests.map((request) => ({ request })),
        total_count: requests.length,
        not_found: found.not_found,
        ...(cut === undefined ? {} : { next_offset: cut }),
        at: this.#clock.now(),
      }),
    };
  }

  /**
   * A page of requests, with their machines if `machines` is set, as many as fit into one answer. The answer only
   * changes when a request changes.
   */
  async listed(query: Query<'request'>, machines = false): Promise<Lazy<ListOf<RequestDetail>>> {
    const changes = await this.#store.changes('request');
    return {
      cache_key: `${changes}:${machines}:${JSON.stringify(query)}`,
      load: async () => ({ ...(await this.#list(query, machines)), at: this.#clock.now() }),
    };
  }

  async #list(query: Query<'request'>, machines: boolean): Promise<Omit<ListOf<RequestDetail>, 'at'>> {
    const [page, total_count] = await Promise.all([
      this.#store.versions(query),
      this.#store.count('request', query.where ?? {}),
    ]);
    const { requests: whole, taken } = await this.#some(page, ({ machine_count }) =>
      shownBytes(machines ? machine_count : 0),
    );
    const requests = whole.map(withoutData);
    return {
      items: machines ? await detailsOf(this.#store, requests) : requests.map((request) => ({ request })),
      total_count,
      ...(taken < page.length ? { next_offset: (query.offset ?? 0) + taken } : {}),
    };
  }

  /** The records of the versions that fit into one answer. */
  async #some(
    versions: readonly Version[],
    bytesOf: (request: RequestRecord) => number,
  ): Promise<{ readonly requests: readonly RequestRecord[]; readonly taken: number }> {
    const { records, taken } = await this.#records.some(versions);
    const fit = fitting(records, bytesOf, answerBytes);
    if (fit === records.length) return { requests: records, taken };
    return {
      requests: records.slice(0, fit),
      taken: versions.findIndex(({ request_id }) => request_id === records[fit]?.request_id),
    };
  }

  async #returnAgain(request_id: string): Promise<RequestDetail> {
    const detail = await this.#withMachines(await this.#require(request_id));
    return { ...detail, request: returnAsOpened(detail.request) };
  }

  #withMachines(request: RequestRecord): Promise<RequestDetail> {
    return detailOf(this.#store, request);
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
    if (request.template_id === input.template.template_id && request.machine_count === input.machine_count)
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

/** Removes the data of callers, which only an answer about a single request contains. */
function withoutData(whole: RequestRecord): RequestRecord {
  const { additional_data: _, ...request } = whole;
  return request;
}

type StoredVersion = Awaited<ReturnType<Store['versions']>>[number];

/** The requests that exist, in the order of the names, and the names without a request. */
interface RequestsNamed {
  readonly versions: readonly StoredVersion[];
  readonly not_found: readonly string[];
}

/** Reads the versions of the ids, each once, in a few queries. */
async function requestsNamed(store: Store, request_ids: readonly string[]): Promise<RequestsNamed> {
  const unique = [...new Set(request_ids)];
  const found = await queryInParts(unique, (request_id) => store.versions({ where: { request_id } }));
  const known = new Map(found.map((version) => [version.request_id, version]));
  return { versions: unique.flatMap((id) => known.get(id) ?? []), not_found: unique.filter((id) => !known.has(id)) };
}

export const requestNotFound = (request_id: string): BrokerError =>
  new BrokerError('REQUEST_NOT_FOUND', `No request has the id '${request_id}'.`, { request_id });
