import { LRUCache } from 'lru-cache';
import type { TSchema } from 'typebox';
import type { RequestRecord } from '../model/request.ts';
import type { Lazy } from '../requests/detail.ts';
import type { ListOf, RequestDetail, SchedulerStrategy } from '../scheduler.ts';
import { strategyFailed } from './strategy-words.ts';
import { pluginOf } from '../plugin-of.ts';
import type { Operation, Viewed, ViewName } from './operation.ts';

const json = 'application/json';

/** Rendered answers that are kept: enough for the busy ones, and bounded. */
const bytesKept = 32 * 1024 * 1024;

/** Turns what operations return into what callers see, by the scheduler strategy. Answers to unchanged questions are kept as bytes. */
export class Rendering {
  readonly #scheduler: SchedulerStrategy;
  /** Our own words: those of the built-in strategy `default`. */
  readonly #own: SchedulerStrategy;
  /** Entries of lists, for as long as somebody keeps the record: a record is never changed. */
  readonly #entries = new WeakMap<RequestRecord, string>();
  readonly #kept = new LRUCache<string, Buffer>({ maxSize: bytesKept, sizeCalculation: (bytes) => bytes.length + 200 });

  /** `scheduler` is the active strategy. Lists of templates have one envelope whatever it is, that of `own`. */
  constructor(scheduler: SchedulerStrategy, own: SchedulerStrategy) {
    this.#scheduler = scheduler;
    this.#own = own;
  }

  /** The shape of the answers to an operation. */
  schema({ output }: Operation<any, any>): TSchema {
    return typeof output === 'string' ? this.#words(output as ViewName)[output as ViewName].schema : output;
  }

  /** The answer as an object. `own`: in our own words, whatever the scheduler. */
  async value(operation: Operation<any, any>, result: unknown, own = false): Promise<unknown> {
    const shown = isLazy(result) ? await result.load() : result;
    if (typeof operation.output !== 'string') return shown;
    const view = operation.output as ViewName;
    return (own ? this.#own : this.#words(view))[view].render(shown as never);
  }

  /** What the answer to an operation is: `application/json`, unless the words that it is in are text of another kind. */
  mediaType({ output }: Operation<any, any>): string {
    return (typeof output === 'string' ? this.#words(output as ViewName).media_type : undefined) ?? json;
  }

  /** The answer as it is sent: JSON, or the text that the strategy renders. */
  async body(operation: Operation<any, any>, result: unknown): Promise<Buffer | string> {
    const text = this.mediaType(operation) !== json;
    const write = (rendered: unknown): string => this.#written(operation, rendered, text);
    if (!isLazy(result)) return write(await this.value(operation, result));
    const key = `${operation.name} ${result.cache_key}`;
    const kept = this.#kept.get(key);
    if (kept) return kept;
    const words =
      operation.output === 'listed' && !text
        ? this.#list(await (result as Viewed['listed']).load())
        : write(await this.value(operation, result));
    const made = Buffer.from(words);
    this.#kept.set(key, made);
    return made;
  }

  #written({ output }: Operation<any, any>, rendered: unknown, text: boolean): string {
    if (typeof output !== 'string') return JSON.stringify(rendered);
    try {
      return text ? textOf(rendered) : jsonOf(rendered);
    } catch (error) {
      const words = this.#words(output as ViewName);
      throw strategyFailed(words, pluginOf(words), output, error);
    }
  }

  #words(view: ViewName): SchedulerStrategy {
    return view === 'templates' ? this.#own : this.#scheduler;
  }

  /** A list as JSON, its entries put in as they were made last. */
  #list(list: ListOf<RequestDetail>): string {
    const { listed } = this.#scheduler;
    const entries = list.items.map((detail) => this.#entry(detail, listed));
    const around = this.#listed(listed.around({ ...list, count: entries.length }, [place]));
    if (!around.includes(JSON.stringify(place)))
      throw strategyFailed(this.#scheduler, pluginOf(this.#scheduler), 'listed', new Error('The entries are not in the list.'));
    // A function, because in a text some characters have a meaning.
    return around.replace(JSON.stringify(place), () => entries.join(','));
  }

  #listed(rendered: unknown): string {
    try {
      return jsonOf(rendered);
    } catch (error) {
      throw strategyFailed(this.#scheduler, pluginOf(this.#scheduler), 'listed', error);
    }
  }

  #entry(detail: RequestDetail, listed: SchedulerStrategy['listed']): string {
    const { request, machines, machine_keys } = detail;
    // Its machines change without it: those of a return belong to other requests.
    if (machines || machine_keys) return this.#listed(listed.entry(detail));
    const known = this.#entries.get(request);
    if (known !== undefined) return known;
    const made = this.#listed(listed.entry(detail));
    this.#entries.set(request, made);
    return made;
  }
}

function jsonOf(rendered: unknown): string {
  const made: string | undefined = JSON.stringify(rendered);
  if (made === undefined) throw new TypeError('A view of a scheduler strategy must render JSON.');
  return made;
}

function textOf(rendered: unknown): string {
  if (typeof rendered === 'string') return rendered;
  throw new TypeError('A view of a scheduler strategy with a media type of its own must render text.');
}

/** Stands where the entries of a list go. */
const place = 'entries of the list: 5f0c8a1e';

/** It is worked out only where no rendered copy is at hand. An answer never has a function. */
const isLazy = (result: unknown): result is Lazy<unknown> =>
  typeof result === 'object' && result !== null && typeof (result as Partial<Lazy<unknown>>).load === 'function';
