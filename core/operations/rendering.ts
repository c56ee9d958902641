import { LRUCache } from 'lru-cache';
import type { Lazy } from '../requests/detail.ts';
import type { SchedulerStrategy } from '../scheduler.ts';
import type { Operation, Viewed, ViewName } from './operation.ts';

/** Rendered answers that are kept: enough for the busy ones, and bounded. */
const bytesKept = 32 * 1024 * 1024;

/** Turns what operations return into what callers see, by the scheduler strategy. Answers to unchanged questions are kept as bytes. */
export class Rendering {
  readonly #scheduler: SchedulerStrategy;
  readonly #templates: SchedulerStrategy['templates'];
  readonly #kept = new LRUCache<string, Buffer>({ maxSize: bytesKept, sizeCalculation: (bytes) => bytes.length + 200 });

  /**
   * `scheduler` is the active strategy. Lists of templates have one envelope whatever it is: that of the strategy `default`, where it is
   * among `loaded`.
   */
  constructor(scheduler: SchedulerStrategy, loaded: readonly SchedulerStrategy[]) {
    this.#scheduler = scheduler;
    this.#templates = (loaded.find(({ name }) => name === 'default') ?? scheduler).templates;
  }

  /** The answer as an object. */
  async value(operation: Operation<any, any>, result: unknown): Promise<unknown> {
    if (typeof operation.output !== 'string') return result;
    if (operation.output === 'status') return this.#scheduler.status.render(await (result as Lazy<any>).load());
    if (operation.output === 'templates') return this.#templates.render(result as Viewed['templates']);
    return this.#scheduler[operation.output as Exclude<ViewName, 'status'>].render(result as never);
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
