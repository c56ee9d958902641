import { AsyncLocalStorage } from 'node:async_hooks';
import type { CalledFor } from '../../../core/providers/guard/called-for.ts';
import type { CallTracking } from '../../../core/providers/guard/call-tracking.ts';
import { CallOwnerSlot, type CallOwner } from './call-owner-slot.ts';

/** Maximum number of tracked names. Calls for further names are not tracked. */
const maxNames = 1_000;
/** The global symbol of a function that a debugger calls in a hanging thread to read the current call owner. */
export const callOwnerSymbol = 'muster.call-owner';

/**
 * Allocates the memory that a loop thread shares with the thread that supervises it: the number of open calls per
 * name, the owner of the synchronous part of a call, and the owner that ended the thread.
 */
export const callMemory = (): SharedArrayBuffer =>
  new SharedArrayBuffer(maxNames * Int32Array.BYTES_PER_ELEMENT + 2 * CallOwnerSlot.bytes);

const partsOf = (memory: SharedArrayBuffer) => {
  const after = maxNames * Int32Array.BYTES_PER_ELEMENT;
  return {
    open: new Int32Array(memory, 0, maxNames),
    running: new CallOwnerSlot(memory, after),
    ended_by: new CallOwnerSlot(memory, after + CallOwnerSlot.bytes),
  };
};

/** Records in shared memory, for the supervising thread, for which names plugin code runs. */
export class SharedCallTracking implements CallTracking {
  readonly #parts: ReturnType<typeof partsOf>;
  readonly #places: ReadonlyMap<string, number>;
  readonly #context = new AsyncLocalStorage<CallOwner>();
  /** The request about which pure plugin functions are currently called. */
  #current: CalledFor | undefined;

  constructor(memory: SharedArrayBuffer, names: readonly string[]) {
    this.#parts = partsOf(memory);
    this.#places = new Map(names.slice(0, maxNames).map((name, index) => [name, index]));
  }

  /**
   * Returns the owner of the running code. Code that a call scheduled (timers, promises) has the owner of the call.
   */
  owner(): CallOwner | undefined {
    return this.#context.getStore();
  }

  async call<T>(name: string, call: () => Promise<T>, of: readonly CalledFor[] = []): Promise<T> {
    const place = this.#places.get(name);
    const { open } = this.#parts;
    if (place !== undefined) Atomics.add(open, place, 1);
    try {
      // With several requests the responsible one is unknown.
      return await this.#runAs(name, of.length === 1 ? of[0] : undefined, call);
    } finally {
      if (place !== undefined) Atomics.sub(open, place, 1);
    }
  }

  pure<T>(name: string, call: () => T): T {
    return this.#runAs(name, this.#current, call);
  }

  about<T>(of: CalledFor, ask: () => T): T {
    this.#current = of;
    try {
      return ask();
    } finally {
      this.#current = undefined;
    }
  }

  /** Records the owner of the code that ends the thread. Call it in the exit handler. */
  recordExit(): void {
    const owner = this.owner();
    if (owner) this.#parts.ended_by.write(this.#places.get(owner.name), owner.of);
  }

  #runAs<T>(name: string, of: CalledFor | undefined, call: () => T): T {
    const { running } = this.#parts;
    const before = running.write(this.#places.get(name), of);
    try {
      return this.#context.run({ name, ...(of ? { of } : {}) }, call);
    } finally {
      running.restore(before);
    }
  }
}

/** The recorded calls of a thread, read from another thread. */
export interface TrackedCalls {
  readonly running?: CallOwner;
  readonly open: readonly string[];
  /** The owner of the code that ended the thread. */
  readonly ended_by?: CallOwner;
}

export function readTracking(memory: SharedArrayBuffer, names: readonly string[]): TrackedCalls {
  const parts = partsOf(memory);
  const [running, ended_by] = [parts.running.read(names), parts.ended_by.read(names)];
  const open = names.slice(0, maxNames).filter((_, index) => Atomics.load(parts.open, index) > 0);
  return { ...(running ? { running } : {}), open, ...(ended_by ? { ended_by } : {}) };
}
