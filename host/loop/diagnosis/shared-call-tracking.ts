import { AsyncLocalStorage } from 'node:async_hooks';
import type { CalledFor } from '../../../core/providers/guard/called-for.ts';
import type { CallTracking } from '../../../core/providers/guard/call-tracking.ts';
import { MarkedName, type Whose } from './marked-name.ts';

/** Names that have a place. Further ones are watched by nobody. */
const mostNames = 1_000;
/** Under this a debugger finds, in a thread that hangs, in whose name it runs. */
export const whoseSymbol = 'muster.in-whose-name';

/**
 * Memory that a thread and its keeper share: how many calls of each name are under way, who is in the part of a call
 * that runs at once, and in whose name the thread ended itself.
 */
export const callMemory = (): SharedArrayBuffer => new SharedArrayBuffer(mostNames * Int32Array.BYTES_PER_ELEMENT + 2 * MarkedName.bytes);

const partsOf = (memory: SharedArrayBuffer) => {
  const after = mostNames * Int32Array.BYTES_PER_ELEMENT;
  return {
    under_way: new Int32Array(memory, 0, mostNames),
    at_once: new MarkedName(memory, after),
    last: new MarkedName(memory, after + MarkedName.bytes),
  };
};

/** Marks, for the thread that keeps this one, in whose name code of plugins runs. */
export class SharedCallTracking implements CallTracking {
  readonly #parts: ReturnType<typeof partsOf>;
  readonly #places: ReadonlyMap<string, number>;
  readonly #context = new AsyncLocalStorage<Whose>();
  /** Whom plugins are asked about at present. */
  #asked: CalledFor | undefined;

  constructor(memory: SharedArrayBuffer, names: readonly string[]) {
    this.#parts = partsOf(memory);
    this.#places = new Map(names.slice(0, mostNames).map((name, index) => [name, index]));
  }

  /** In whose name the present code runs: what a call set going, timers and all, is in its name too. */
  whose(): Whose | undefined {
    return this.#context.getStore();
  }

  async call<T>(name: string, call: () => Promise<T>, of: readonly CalledFor[] = []): Promise<T> {
    const place = this.#places.get(name);
    const { under_way } = this.#parts;
    if (place !== undefined) Atomics.add(under_way, place, 1);
    try {
      // Of several nobody knows which it is.
      return await this.#atOnce(name, of.length === 1 ? of[0] : undefined, call);
    } finally {
      if (place !== undefined) Atomics.sub(under_way, place, 1);
    }
  }

  pure<T>(name: string, call: () => T): T {
    return this.#atOnce(name, this.#asked, call);
  }

  about<T>(of: CalledFor, ask: () => T): T {
    this.#asked = of;
    try {
      return ask();
    } finally {
      this.#asked = undefined;
    }
  }

  /** Writes down in whose name the thread ends itself; to be called while it does. */
  lastWords(): void {
    const whose = this.whose();
    if (whose) this.#parts.last.write(this.#places.get(whose.name), whose.of);
  }

  #atOnce<T>(name: string, of: CalledFor | undefined, call: () => T): T {
    const { at_once } = this.#parts;
    const before = at_once.write(this.#places.get(name), of);
    try {
      return this.#context.run({ name, ...(of ? { of } : {}) }, call);
    } finally {
      at_once.restore(before);
    }
  }
}

/** What the marks of a thread say from outside. */
export interface TrackedCalls {
  readonly at_once?: Whose;
  readonly under_way: readonly string[];
  /** In whose name it ended itself. */
  readonly last?: Whose;
}

export function readTracking(memory: SharedArrayBuffer, names: readonly string[]): TrackedCalls {
  const parts = partsOf(memory);
  const [at_once, last] = [parts.at_once.read(names), parts.last.read(names)];
  const under_way = names.slice(0, mostNames).filter((_, index) => Atomics.load(parts.under_way, index) > 0);
  return { ...(at_once ? { at_once } : {}), under_way, ...(last ? { last } : {}) };
}
