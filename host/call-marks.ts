import { AsyncLocalStorage } from 'node:async_hooks';
import type { CallWatch } from '../core/providers/call-watch.ts';

/** Names that have a place. Further ones are watched by nobody. */
const mostNames = 1_000;
/** Under this a debugger finds, in a thread that hangs, in whose name it runs. */
export const whoseSymbol = 'muster.in-whose-name';

/** Memory that a thread and its keeper share: who is in the part of a call that runs at once, and how many calls of each are under way. */
export const callMemory = (): SharedArrayBuffer => new SharedArrayBuffer((1 + mostNames) * Int32Array.BYTES_PER_ELEMENT);

/** Marks, for the thread that keeps this one, in whose name code of plugins runs. */
export class CallMarks implements CallWatch {
  readonly #cells: Int32Array;
  readonly #places: ReadonlyMap<string, number>;
  readonly #context = new AsyncLocalStorage<string>();

  constructor(memory: SharedArrayBuffer, names: readonly string[]) {
    this.#cells = new Int32Array(memory);
    this.#places = new Map(names.slice(0, mostNames).map((name, index) => [name, index + 1]));
  }

  /** In whose name the present code runs: what a call set going, timers and all, is in its name too. */
  whose(): string | undefined {
    return this.#context.getStore();
  }

  async call<T>(name: string, call: () => Promise<T>): Promise<T> {
    const place = this.#places.get(name) ?? 0;
    if (place > 0) Atomics.add(this.#cells, place, 1);
    try {
      return await this.pure(name, call);
    } finally {
      if (place > 0) Atomics.sub(this.#cells, place, 1);
    }
  }

  pure<T>(name: string, call: () => T): T {
    const before = Atomics.exchange(this.#cells, 0, this.#places.get(name) ?? 0);
    try {
      return this.#context.run(name, call);
    } finally {
      Atomics.store(this.#cells, 0, before);
    }
  }
}

/** What the marks of a thread say from outside. */
export function readMarks(
  memory: SharedArrayBuffer,
  names: readonly string[],
): { readonly at_once?: string; readonly under_way: readonly string[] } {
  const cells = new Int32Array(memory);
  const at_once = names[Atomics.load(cells, 0) - 1];
  const under_way = names.filter((_, index) => Atomics.load(cells, index + 1) > 0);
  return { ...(at_once === undefined ? {} : { at_once }), under_way };
}
