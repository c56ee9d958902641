import { LRUCache } from 'lru-cache';
import type { RequestRecord } from '../../model/request.ts';
import type { Store } from '../../contract/storage.ts';
import { fitting, readBytes, weightOf } from './answer-budget.ts';
import { queryInParts } from '../../collections/query-in-parts.ts';

export interface Version {
  readonly request_id: string;
  readonly version: number;
}

/**
 * The most characters of cached records: about thirty thousand usual records, or two hundred and fifty of the largest.
 */
const mostKept = 64 * 1024 * 1024;

/**
 * The requests as last read, valid for exactly their version, so that a list of fifty need not parse fifty records for
 * each call.
 */
export class RecordCache {
  readonly #store: Store;
  readonly #records = new LRUCache<string, RequestRecord>({
    max: 5_000,
    maxSize: mostKept,
    sizeCalculation: weightOf,
  });

  constructor(store: Store) {
    this.#store = store;
  }

  async get({ request_id, version }: Version): Promise<RequestRecord | undefined> {
    const known = this.#records.get(request_id);
    if (known?.version === version) return known;
    const record = await this.#store.get('request', { request_id });
    if (record) this.#records.set(request_id, record);
    return record;
  }

  /**
   * The records in the given order, in a few queries; records that were removed are left out. Reads as many as one
   * answer may read, at least one: `taken` is the number of versions that were processed.
   */
  async some(
    versions: readonly Version[],
  ): Promise<{ readonly records: readonly RequestRecord[]; readonly taken: number }> {
    const records = new Map<string, RequestRecord>();
    for (const { request_id, version } of versions) {
      const known = this.#records.get(request_id);
      if (known?.version === version) records.set(request_id, known);
    }
    const unknown = versions.flatMap(({ request_id }) => (records.has(request_id) ? [] : [request_id]));
    const sizes = await this.#sizesOf(unknown);
    const taken = sizes
      ? fitting(versions, ({ request_id }) => sizes.get(request_id) ?? 0, readBytes)
      : versions.length;
    const page = versions.slice(0, taken);
    const missing = page.flatMap(({ request_id }) => (records.has(request_id) ? [] : [request_id]));
    const read = await queryInParts(missing, (request_id) => this.#store.find('request', { where: { request_id } }));
    for (const record of read) {
      records.set(record.request_id, record);
      this.#records.set(record.request_id, record);
    }
    return { records: page.flatMap(({ request_id }) => records.get(request_id) ?? []), taken };
  }

  /** The stored sizes; undefined for a few records, for which the query does not pay off. */
  async #sizesOf(request_ids: readonly string[]): Promise<ReadonlyMap<string, number> | undefined> {
    const { sizes } = this.#store;
    if (!sizes || request_ids.length <= few) return undefined;
    const found = await queryInParts(request_ids, (some) => sizes.call(this.#store, some));
    return new Map(found.map(({ request_id, bytes }) => [request_id, bytes]));
  }
}

const few = 10;
