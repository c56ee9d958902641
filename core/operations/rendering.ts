import { LRUCache } from 'lru-cache';
import type { TSchema } from 'typebox';
import type { RequestRecord } from '../model/request.ts';
import type { Lazy } from '../requests/queries/detail.ts';
import type { ListOf, RequestDetail, SchedulerStrategy } from '../contract/scheduler.ts';
import { strategyFailed } from './strategy-failure.ts';
import { pluginOf } from '../wiring/contributed-by.ts';
import type { Operation, ViewName } from './operation.ts';

const json = 'application/json';

/** Rendered answers that are kept: enough for the busy ones, and bounded. */
const bytesKept = 32 * 1024 * 1024;
const shortText = 8_192;

/** Turns what operations return into what callers see, by a scheduler strategy. Answers to unchanged questions are kept as bytes. */
export class Rendering {
  /** The strategy of the configuration: a call that names none is answered in its words. */
  readonly active: SchedulerStrategy;
  /** Our own words: those of the built-in strategy `default`. */
  readonly own: SchedulerStrategy;
  /** Entries of lists, by strategy, for as long as somebody keeps the record: a record is never changed. */
  readonly #entries = new WeakMap<SchedulerStrategy, WeakMap<RequestRecord, string>>();
  readonly #kept = new LRUCache<string, Buffer | string>({ maxSize: bytesKept, sizeCalculation: (made) => made.length + 200 });

  /** Lists of templates have one envelope whatever the strategy is, that of `own`. */
  constructor(active: SchedulerStrategy, own: SchedulerStrategy) {
    this.active = active;
    this.own = own;
  }

  /** Whether an answer differs between strategies, in its shape or in a word. */
  dependsOnScheduler({ output, tells_status_word = false }: Operation<any, any>): boolean {
    return tells_status_word || (typeof output === 'string' && output !== 'templates');
  }

  /** The shape of the answers to an operation. */
  schema({ output }: Operation<any, any>): TSchema {
    return typeof output === 'string' ? this.#viewsOf(output as ViewName, this.active)[output as ViewName].schema : output;
  }

  /** The answer as an object. */
  async value(operation: Operation<any, any>, result: unknown, strategy: SchedulerStrategy = this.active): Promise<unknown> {
    return this.#shown(operation, isLazy(result) ? await result.load() : result, strategy);
  }

  #shown({ output }: Operation<any, any>, result: unknown, strategy: SchedulerStrategy): unknown {
    if (typeof output !== 'string') return result;
    const view = output as ViewName;
    return this.#viewsOf(view, strategy)[view].render(result as never);
  }

  /** What the answer to an operation is: `application/json`, unless the words that it is in are text of another kind. */
  mediaType({ output }: Operation<any, any>, strategy: SchedulerStrategy = this.active): string {
    return (typeof output === 'string' ? this.#viewsOf(output as ViewName, strategy).media_type : undefined) ?? json;
  }

  /** The answer as it is sent: JSON, or the text that the strategy renders. At once, unless it has to be loaded. */
  body(
    operation: Operation<any, any>,
    result: unknown,
    strategy: SchedulerStrategy = this.active,
  ): Buffer | string | Promise<Buffer | string> {
    if (!isLazy(result)) return this.#written(operation, this.#shown(operation, result, strategy), strategy);
    const key = `${strategy.name} ${operation.name} ${result.cache_key}`;
    return this.#kept.get(key) ?? this.#made(key, operation, result, strategy);
  }

  async #made(key: string, operation: Operation<any, any>, result: Lazy<unknown>, strategy: SchedulerStrategy): Promise<Buffer | string> {
    const loaded = await result.load();
    const text =
      operation.output === 'listed' && this.mediaType(operation, strategy) === json
        ? this.#list(loaded as ListOf<RequestDetail>, strategy)
        : this.#written(operation, this.#shown(operation, loaded, strategy), strategy);
    // Node sends a short text and its headers in one piece. A long one would be turned into bytes for every call.
    const made = text.length < shortText ? text : Buffer.from(text);
    this.#kept.set(key, made);
    return made;
  }

  #written(operation: Operation<any, any>, rendered: unknown, strategy: SchedulerStrategy): string {
    const { output } = operation;
    if (typeof output !== 'string') return JSON.stringify(rendered);
    try {
      return this.mediaType(operation, strategy) === json ? jsonOf(rendered) : textOf(rendered);
    } catch (error) {
      const views = this.#viewsOf(output as ViewName, strategy);
      throw strategyFailed(views, pluginOf(views), output, error);
    }
  }

  #viewsOf(view: ViewName, strategy: SchedulerStrategy): SchedulerStrategy {
    return view === 'templates' ? this.own : strategy;
  }

  /** A list as JSON, its entries put in as they were made last. */
  #list(list: ListOf<RequestDetail>, strategy: SchedulerStrategy): string {
    const entries = list.items.map((detail) => this.#entry(detail, strategy));
    const around = listedJson(strategy, strategy.listed.around({ ...list, count: entries.length }, [place]));
    if (!around.includes(JSON.stringify(place)))
      throw strategyFailed(strategy, pluginOf(strategy), 'listed', new Error('The entries are not in the list.'));
    // A function, because in a text some characters have a meaning.
    return around.replace(JSON.stringify(place), () => entries.join(','));
  }

  #entry(detail: RequestDetail, strategy: SchedulerStrategy): string {
    const { request, machines, machine_keys } = detail;
    // Its machines change without it: those of a return belong to other requests.
    if (machines || machine_keys) return listedJson(strategy, strategy.listed.entry(detail));
    let entries = this.#entries.get(strategy);
    if (!entries) this.#entries.set(strategy, (entries = new WeakMap()));
    const known = entries.get(request);
    if (known !== undefined) return known;
    const made = listedJson(strategy, strategy.listed.entry(detail));
    entries.set(request, made);
    return made;
  }
}

function listedJson(strategy: SchedulerStrategy, rendered: unknown): string {
  try {
    return jsonOf(rendered);
  } catch (error) {
    throw strategyFailed(strategy, pluginOf(strategy), 'listed', error);
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
