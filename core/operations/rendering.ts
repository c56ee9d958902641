import { LRUCache } from 'lru-cache';
import type { TSchema } from 'typebox';
import type { Lazy } from '../requests/detail.ts';
import type { SchedulerStrategy } from '../scheduler.ts';
import type { Operation, Viewed, ViewName } from './operation.ts';

/** Rendered answers that are kept: enough for the busy ones, and bounded. */
const bytesKept = 32 * 1024 * 1024;

/** Turns what operations return into what callers see, by the scheduler strategy. Answers to unchanged questions are kept as bytes. */
export class Rendering {
  readonly #scheduler: SchedulerStrategy;
  /** Our own words: the strategy `default`, where it is loaded. */
  readonly #own: SchedulerStrategy;
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
    if (typeof operation.output !== 'string') return result;
    const words = own || operation.output === 'templates' ? this.#own : this.#scheduler;
    if (operation.output === 'status') return words.status.render(await (result as Lazy<any>).load());
    return words[operation.output as Exclude<ViewName, 'status'>].render(result as never);
  }

  /** The answer as JSON. */
  async json(operation: Operation<any, any>, result: unknown): Promise<Buffer | string> {
    if (operation.output !== 'status') return JSON.stringify(await this.value(operation, result));
    const lazy = result as Viewed['status'];
    const kept = this.#kept.get(lazy.cache_key);
    if (kept) return kept;
    const made = Buffer.from(JSON.stringify(await this.value(operation, result)));
    this.#kept.set(lazy.cache_key, made);
    return made;
  }
}
