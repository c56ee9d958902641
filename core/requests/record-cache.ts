import { LRUCache } from 'lru-cache';
import type { RequestRecord } from '../model/request.ts';
import type { Store } from '../storage.ts';
import { askInParts } from './ask-in-parts.ts';

interface Version {
  readonly request_id: string;
  readonly version: number;
}

/** Requests as last read, good for exactly their version: a list of fifty need not parse fifty records each time. */
export class RecordCache {
  readonly #store: Store;
  readonly #records = new LRUCache<string, RequestRecord>({ max: 5_000 });

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

  /** In the order given, in a few questions to the storage; what was removed meanwhile is left out. */
  async all(versions: readonly Version[]): Promise<readonly RequestRecord[]> {
    const records = new Map<string, RequestRecord>();
    for (const { request_id, version } of versions) {
      const known = this.#records.get(request_id);
      if (known?.version === version) records.set(request_id, known);
    }
    const unknown = versions.flatMap(({ request_id }) => (records.has(request_id) ? [] : [request_id]));
    const read = await askInParts(unknown, (request_id) => this.#store.find('request', { where: { request_id } }));
    for (const record of read) {
      records.set(record.request_id, record);
      this.#records.set(record.request_id, record);
    }
    return versions.flatMap(({ request_id }) => records.get(request_id) ?? []);
  }
}
