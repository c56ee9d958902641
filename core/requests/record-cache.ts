import { LRUCache } from 'lru-cache';
import type { RequestRecord } from '../model/request.ts';
import type { Store } from '../storage.ts';

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

  /** In the order given; what was removed meanwhile is left out. */
  async all(versions: readonly Version[]): Promise<readonly RequestRecord[]> {
    const records: RequestRecord[] = [];
    for (const version of versions) {
      const record = await this.get(version);
      if (record) records.push(record);
    }
    return records;
  }
}
