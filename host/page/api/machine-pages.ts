import { signal, type ReadonlySignal } from '@preact/signals';
import { read, Refusal } from './broker-client.ts';
import { api } from './place.ts';
import type { JournalEvent, Machine, MachineList } from './shapes.ts';

/** How many machines one call reads. */
const pageSize = 200;
/** The pages that are kept: those around the ones that are shown. */
const mostPages = 20;
/** The least time between two reads after events. */
const least_ms = 1_000;

/** What is known of a list. A machine that is not read yet is undefined. */
export interface Listed {
  /** Undefined until the first answer. */
  readonly total?: number;
  readonly failure?: Refusal;
  at(index: number): Machine | undefined;
}

/**
 * A list of any number of machines, of which the part that is shown is read. Events make it read that part again, at
 * most once a second; the rest is forgotten and read when it is shown.
 */
export class MachinePages {
  readonly #filter: string;
  readonly #ended = new AbortController();
  readonly #pages = new Map<number, readonly Machine[]>();
  readonly #reading = new Map<number, Promise<void>>();
  readonly #listed = signal<Listed>({ at: () => undefined });
  #total: number | undefined;
  #shown: readonly [number, number] = [0, 0];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #readAt = -Infinity;
  #stale = false;

  /** `filter`: the query of the list, without its paging. */
  constructor(filter: string) {
    this.#filter = filter;
  }

  get listed(): ReadonlySignal<Listed> {
    return this.#listed;
  }

  /** Reads what is needed to show the machines from `first` to `last`. */
  show(first: number, last: number): void {
    this.#shown = [Math.floor(Math.max(0, first) / pageSize), Math.floor(Math.max(0, last) / pageSize)];
    for (let page = this.#shown[0]; page <= this.#shown[1]; page += 1)
      if (!this.#pages.has(page)) void this.#read(page);
  }

  /** The events that arrived; none: anything may have changed. */
  heard(events: readonly JournalEvent[]): void {
    if (events.length === 0 || events.some(({ type }) => type.startsWith('machine.') || type.startsWith('return.')))
      this.refresh();
  }

  refresh(): void {
    this.#stale = true;
    if (document.hidden) return;
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined;
        void this.#readAgain();
      },
      Math.max(50, this.#readAt + least_ms - performance.now()),
    );
  }

  /** To be called when the page is shown again. */
  seen(): void {
    if (this.#stale) this.refresh();
  }

  close(): void {
    this.#ended.abort();
    clearTimeout(this.#timer);
  }

  async #readAgain(): Promise<void> {
    this.#stale = false;
    const [first, last] = this.#shown;
    for (const page of this.#pages.keys()) if (page < first || page > last) this.#pages.delete(page);
    await Promise.all(Array.from({ length: last - first + 1 }, (_, index) => this.#read(first + index)));
  }

  #read(page: number): Promise<void> {
    const running = this.#reading.get(page);
    if (running) return running;
    const reading = this.#readPage(page).finally(() => this.#reading.delete(page));
    this.#reading.set(page, reading);
    return reading;
  }

  async #readPage(page: number): Promise<void> {
    const paging = `limit=${pageSize}&offset=${page * pageSize}`;
    this.#readAt = performance.now();
    try {
      const { machines, total_count } = await read<MachineList>(
        `${api}/inventory/?${this.#filter}${this.#filter ? '&' : ''}${paging}`,
        this.#ended.signal,
      );
      this.#total = total_count;
      this.#pages.delete(page);
      this.#pages.set(page, machines);
      this.#forgetFar();
      this.#publish();
    } catch (error) {
      if (this.#ended.signal.aborted) return;
      this.#publish(error instanceof Refusal ? error : new Refusal(0, 'BROKEN', String(error)));
    }
  }

  #forgetFar(): void {
    const [first, last] = this.#shown;
    for (const page of this.#pages.keys()) {
      if (this.#pages.size <= mostPages) return;
      if (page < first || page > last) this.#pages.delete(page);
    }
  }

  #publish(failure?: Refusal): void {
    this.#listed.value = {
      ...(this.#total === undefined ? {} : { total: this.#total }),
      ...(failure ? { failure } : {}),
      at: (index) => this.#pages.get(Math.floor(index / pageSize))?.[index % pageSize],
    };
  }
}
