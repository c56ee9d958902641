import type { Clock } from '../../contract/clock.ts';
import type { ListOf, RequestDetail } from '../../contract/scheduler.ts';
import type { Query, Store } from '../../contract/storage.ts';
import { queryInParts } from '../../collections/query-in-parts.ts';
import { jsonFingerprint } from '../../model/ids.ts';
import { isTerminal, type RequestRecord } from '../../model/request.ts';
import type { RefreshTrigger } from '../refresh-trigger.ts';
import { requestNotFound } from '../request-service.ts';
import { costsAt, hasFinalCosts } from './costs-at.ts';
import { answerBytes, fitting, shownBytes, weightOf } from './answer-budget.ts';
import { detailOf, detailsOf, type Lazy } from './detail.ts';
import { RecordCache, type Version } from './record-cache.ts';

/** The versions that a status shows. */
export interface StatusVersion {
  readonly version: number;
  /** The request, and those whose machines a return has. A change of any of them may change the status. */
  readonly of: readonly Version[];
  /** Whether the request has ended. */
  readonly ended: boolean;
}

/** Reads requests and returns. Never calls a provider; it may trigger the loop to observe a request. */
export class RequestQueries {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #refreshTrigger: RefreshTrigger;
  readonly #records: RecordCache;

  constructor(store: Store, clock: Clock, refreshTrigger: RefreshTrigger) {
    this.#store = store;
    this.#clock = clock;
    this.#refreshTrigger = refreshTrigger;
    this.#records = new RecordCache(store);
  }

  /**
   * The stored state of a request. With `refresh` it also triggers the loop to observe the request, without waiting.
   * Throws REQUEST_NOT_FOUND.
   */
  async status(
    request_id: string,
    machines: boolean,
    refresh = machines,
  ): Promise<Lazy<RequestDetail> & { readonly observed_at?: number; readonly version: StatusVersion }> {
    const [known] = await this.#store.versions({ where: { request_id } });
    if (!known) throw requestNotFound(request_id);
    const request = await this.#records.get(known);
    if (!request) throw requestNotFound(request_id);
    if (refresh) for (const id of request.origins ?? [request_id]) this.#refreshTrigger.refresh(id);
    const observed_at = later(this.#refreshTrigger.refreshedAt(request_id), request.observed_at);
    const versions = request.origins
      ? [known, ...(await this.#store.versions({ where: { request_id: request.origins } }))]
      : [known];
    // The answer about an open request tells the time of the observation; that of an ended one stays the same.
    const told = observed_at === undefined || isTerminal(request.status) ? {} : { observed_at };
    const costs_at = costsAt(this.#clock.now());
    const costs_key = machines && !hasFinalCosts(request) ? costs_at : '';
    return {
      cache_key: `${keyOf(versions)}:${machines}:${told.observed_at}:${costs_key}`,
      ...(observed_at === undefined ? {} : { observed_at }),
      version: { version: known.version, of: versions, ended: isTerminal(request.status) },
      load: async () => ({
        ...(machines ? { ...(await detailOf(this.#store, request)), costs_at } : { request }),
        ...told,
      }),
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
    const costs_at = costsAt(this.#clock.now());
    const costs_key = machines && !requests.every(hasFinalCosts) ? costs_at : null;
    return {
      cache_key: jsonFingerprint([found, of_origins?.versions, machines, cut, costs_key]),
      load: async () => ({
        items: await this.#items(requests, machines, costs_at),
        total_count: requests.length,
        not_found: found.not_found,
        ...(cut === undefined ? {} : { next_offset: cut }),
        at: this.#clock.now(),
      }),
    };
  }

  /**
   * A page of requests, with their machines if `machines` is set, as many as fit into one answer. The answer only
   * changes when a request changes, and with machines each minute because their costs grow.
   */
  async listed(query: Query<'request'>, machines = false): Promise<Lazy<ListOf<RequestDetail>>> {
    const changes = await this.#store.changes('request');
    const costs_at = costsAt(this.#clock.now());
    return {
      cache_key: `${changes}:${machines ? costs_at : ''}:${JSON.stringify(query)}`,
      load: async () => ({ ...(await this.#list(query, machines, costs_at)), at: this.#clock.now() }),
    };
  }

  async #list(
    query: Query<'request'>,
    machines: boolean,
    costs_at: number,
  ): Promise<Omit<ListOf<RequestDetail>, 'at'>> {
    const [page, total_count] = await Promise.all([
      this.#store.versions(query),
      this.#store.count('request', query.where ?? {}),
    ]);
    const { requests: whole, taken } = await this.#some(page, ({ machine_count }) =>
      shownBytes(machines ? machine_count : 0),
    );
    const requests = whole.map(withoutData);
    return {
      items: await this.#items(requests, machines, costs_at),
      total_count,
      ...(taken < page.length ? { next_offset: (query.offset ?? 0) + taken } : {}),
    };
  }

  async #items(
    requests: readonly RequestRecord[],
    machines: boolean,
    costs_at: number,
  ): Promise<readonly RequestDetail[]> {
    if (!machines) return requests.map((request) => ({ request }));
    return (await detailsOf(this.#store, requests)).map((detail) => ({ ...detail, costs_at }));
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

/** The later of two times, of which each may be absent. */
const later = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || (other !== undefined && other > one) ? other : one;

/** Equal versions have equal keys. */
function keyOf(versions: readonly Version[]): string {
  let key = '';
  for (const { request_id, version } of versions) key += `${request_id}:${version},`;
  return key;
}
