import { LRUCache } from 'lru-cache';
import type { TSchema } from 'typebox';
import type { RequestRecord } from '../model/request.ts';
import type { Lazy } from '../requests/queries/detail.ts';
import type { ListOf, RequestDetail, SchedulerStrategy } from '../contract/scheduler.ts';
import { strategyFailed } from './guarded-strategy.ts';
import { pluginOf } from '../wiring/contributed-by.ts';
import type { Operation, ViewName } from './operation.ts';

const json = 'application/json';

/** The size limit of the cache of rendered answers. */
const bytesKept = 32 * 1024 * 1024;
const shortText = 8_192;

/** Renders the results of operations with a scheduler strategy. Caches the answers to unchanged queries as bytes. */
export class Rendering {
  /** The strategy of the configuration. It renders the answers to calls that name none. */
  readonly active: SchedulerStrategy;
  /** The built-in strategy `default`. */
  readonly own: SchedulerStrategy;
  /**
   * Rendered list entries by strategy, for as long as the record is referenced. Records are never changed in place.
   */
  readonly #entries = new WeakMap<SchedulerStrategy, WeakMap<RequestRecord, string>>();
  readonly #kept = new LRUCache<string, Buffer | string>({
    maxSize: bytesKept,
    sizeCalculation: (made) => made.length + 200,
  });

  /** Lists of templates have the shape of `own` under every strategy. */
  constructor(active: SchedulerStrategy, own: SchedulerStrategy) {
    this.active = active;
    this.own = own;
  }

  /** Whether the answer differs between strategies, in its shape or in a word. */
  dependsOnScheduler({ output, tells_status_word = false }: Operation<any, any>): boolean {
    return tells_status_word || (typeof output === 'string' && output !== 'templates');
  }

  /** The schema of the answers of an operation. */
  schema({ output }: Operation<any, any>): TSchema {
    return typeof output === 'string'
      ? this.#viewsOf(output as ViewName, this.active)[output as ViewName].schema
      : output;
  }

  /** The answer as an object. */
  async value(
    operation: Operation<any, any>,
    result: unknown,
    strategy: SchedulerStrategy = this.active,
  ): Promise<unknown> {
    return this.#shown(operation, isLazy(result) ? await result.load() : result, strategy);
  }

  #shown({ output }: Operation<any, any>, result: unknown, strategy: SchedulerStrategy): unknown {
    if (typeof output !== 'string') return result;
    const view = output as ViewName;
    return this.#viewsOf(view, strategy)[view].render(result as never);
  }

  /** The media type of an answer: `application/json`, unless the strategy renders text of another type. */
  mediaType({ output }: Operation<any, any>, strategy: SchedulerStrategy = this.active): string {
    return (typeof output === 'string' ? this.#viewsOf(output as ViewName, strategy).media_type : undefined) ?? json;
  }

  /**
   * The answer as it is sent: JSON, or the text of the strategy. Returns synchronously unless the result must be
   * loaded.
   */
  body(
    operation: Operation<any, any>,
    result: unknown,
    strategy: SchedulerStrategy = this.active,
  ): Buffer | string | Promise<Buffer | string> {
    if (!isLazy(result)) return this.#written(operation, this.#shown(operation, result, strategy), strategy);
    const key = `${strategy.name} ${operation.name} ${result.cache_key}`;
    return this.#kept.get(key) ?? this.#made(key, operation, result, strategy);
  }

  async #made(
    key: string,
    operation: Operation<any, any>,
    result: Lazy<unknown>,
    strategy: SchedulerStrategy,
  ): Promise<Buffer | string> {
    const loaded = await result.load();
    const text =
      operation.output === 'listed' && this.mediaType(operation, strategy) === json
        ? this.#list(loaded as ListOf<RequestDetail>, strategy)
        : this.#written(operation, this.#shown(operation, loaded, strategy), strategy);
    // Node sends a short string and its headers in one piece, but would encode a long string for every call.
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

  /** A list as JSON, made from cached entries. */
  #list(list: ListOf<RequestDetail>, strategy: SchedulerStrategy): string {
    const entries = list.items.map((detail) => this.#entry(detail, strategy));
    const around = listedJson(strategy, strategy.listed.around({ ...list, count: entries.length }, [place]));
    const places = around.split(JSON.stringify(place)).length - 1;
    if (places !== 1) {
      const cause = new Error(`The entries are in the list ${places} times, not once.`);
      throw strategyFailed(strategy, pluginOf(strategy), 'listed', cause);
    }
    // A replacement function, because `$` has a special meaning in a replacement string.
    return around.replace(JSON.stringify(place), () => entries.join(','));
  }

  #entry(detail: RequestDetail, strategy: SchedulerStrategy): string {
    const { request, machines, machine_keys } = detail;
    // An answer with machines is not cached, because the machines change without a change of the request.
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

/** Marks the place of the entries in a list. */
const place = 'entries of the list: 5f0c8a1e';

/** A lazy result is computed only when no cached answer exists. Other results contain no functions. */
const isLazy = (result: unknown): result is Lazy<unknown> =>
  typeof result === 'object' && result !== null && typeof (result as Partial<Lazy<unknown>>).load === 'function';
