import type { Store } from '../../../contract/storage.ts';
import type { EventRecord } from '../../../model/records.ts';

/** Changes of machines that a provider with notices announces. */
const changes: ReadonlySet<string> = new Set(['machine.launched', 'machine.lost', 'machine.gone']);
/** The most entries of the journal that are read. */
const mostEntries = 200;

/** When machines last started or ended, by the newest entries of the journal. They are read when it has new ones. */
export class LatestChanges {
  readonly #store: Store;
  #mark: number | undefined;
  #entries: readonly EventRecord[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * When a machine of an instance last started or ended, in epoch milliseconds. Only changes from `since` to `until`
   * count. Undefined: there is none among the newest entries.
   */
  async at(instance: string, since: number, until: number): Promise<number | undefined> {
    // The mark is read first: entries that come between the two reads are read again later.
    const mark = await this.#store.changes('event');
    if (mark !== this.#mark) {
      const entries = await this.#store.find('event', { order: [['seq', 'desc']], limit: mostEntries });
      this.#entries = entries.filter(({ type }) => changes.has(type));
      this.#mark = mark;
    }
    const isHere = ({ at, provider_instance }: EventRecord): boolean =>
      provider_instance === instance && at >= since && at <= until;
    return this.#entries.find(isHere)?.at;
  }
}
