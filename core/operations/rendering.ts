import { LRUCache } from 'lru-cache';
import type { TSchema } from 'typebox';
import type { RequestRecord } from '../model/request.ts';
import type { Lazy } from '../requests/detail.ts';
import type { ListOf, RequestDetail, SchedulerStrategy } from '../scheduler.ts';
import type { Operation, Viewed, ViewName } from './operation.ts';

/** Rendered answers that are kept: enough for the busy ones, and bounded. */
const bytesKept = 32 * 1024 * 1024;

/** Turns what operations return into what callers see, by the scheduler strategy. Answers to unchanged questions are kept as bytes. */
export class Rendering {
  readonly #scheduler: SchedulerStrategy;
  /** Our own words: the strategy `default`, where it is loaded. */
  readonly #own: SchedulerStrategy;
  /** Entries of lists, for as long as somebody keeps the record: a record is never changed. */
  readonly #entries = new WeakMap<RequestRecord, string>();
  readonly #kept = new LRUCache<string, Buffer>({ maxSize: bytesKept, sizeCalculation: (bytes) => bytes.length + 200 });

  /**
   * `scheduler` is the active strategy. Lists of templates have one envelope whatever it is: that of the strategy `default`, where it is
   * among `loaded`.
   */
  constructor(scheduler: SchedulerStrategy, loaded: readonly SchedulerStrategy[]) {
    this.#scheduler = scheduler;
    this.#own = loaded.find(({ name }) => name === 'default') ?? scheduler;
  }

  /** The shape of the answers to an operation. */
  schema({ output }: Operation<any, any>): TSchema {
    if (typeof output !== 'string') return output;
    return (output === 'templates' ? this.#own : this.#scheduler)[output as ViewName].schema;
  }

  /** The answer as an object. `own`: in our own words, whatever the scheduler. */
  async value(operation: Operation<any, any>, result: unknown, own = false): Promise<unknown> {
    const shown = isLazy(result) ? await result.load() : result;
    if (typeof operation.output !== 'string') return shown;
    const words = own || operation.output === 'templates' ? this.#own : this.#scheduler;
    return words[operation.output as ViewName].render(shown as never);
  }

  /** The answer as JSON. */
  async json(operation: Operation<any, any>, result: unknown): Promise<Buffer | string> {
    if (!isLazy(result)) return JSON.stringify(await this.value(operation, result));
    const key = `${operation.name} ${result.cache_key}`;
    const kept = this.#kept.get(key);
    if (kept) return kept;
    const text =
      operation.output === 'listed'
        ? this.#list(await (result as Viewed['listed']).load())
        : JSON.stringify(await this.value(operation, result));
    const made = Buffer.from(text);
    this.#kept.set(key, made);
    return made;
  }

  /** A list as JSON, its entries put in as they were made last. */
  #list(list: ListOf<RequestDetail>): string {
    const { listed } = this.#scheduler;
    const entries = list.items.map((detail) => this.#entry(detail, listed));
    const around = JSON.stringify(listed.around({ ...list, count: entries.length }, [place]));
    // A function, because in a text some characters have a meaning.
    return around.replace(JSON.stringify(place), () => entries.join(','));
  }

  #entry(detail: RequestDetail, listed: SchedulerStrategy['listed']): string {
    const { request, machines, machine_keys } = detail;
    // Its machines change without it: those of a return belong to other requests.
    if (machines || machine_keys) return JSON.stringify(listed.entry(detail));
    const known = this.#entries.get(request);
    if (known !== undefined) return known;
    const made = JSON.stringify(listed.entry(detail));
    this.#entries.set(request, made);
    return made;
  }
}

/** Stands where the entries of a list go. */
const place = 'entries of the list: 5f0c8a1e';

/** It is worked out only where no rendered copy is at hand. An answer never has a function. */
const isLazy = (result: unknown): result is Lazy<unknown> =>
  typeof result === 'object' && result !== null && typeof (result as Partial<Lazy<unknown>>).load === 'function';
