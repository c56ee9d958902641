import { kinds, type Kind } from '../../model/kinds.ts';
import { threadMemory } from './thread-memory.ts';

/** How often the records of a kind were changed. */
type Mark = readonly [Kind, number];

/** Cells: how often marks were announced, and one for the mark of each kind. */
const announced = 0;
const firstMark = 1;
const order = Object.keys(kinds) as readonly Kind[];
const bytes = (firstMark + order.length) * BigInt64Array.BYTES_PER_ELEMENT;

/**
 * The marks that the stores of one place have announced, in all threads of this process. A store announces the marks
 * that its commit has raised; the others learn them without a query.
 *
 * Shared memory, because a `BroadcastChannel` makes Node load its HTTP client with the first message: 10 MB in each
 * thread.
 */
export class SharedMarks {
  readonly #place: string;
  readonly #cells: BigInt64Array<SharedArrayBuffer>;
  /** The marks when this object was made. */
  readonly #first: readonly Mark[];

  private constructor(place: string, anew: boolean) {
    this.#place = place;
    this.#cells = new BigInt64Array(threadMemory(`muster marks of ${place}`, bytes, anew));
    this.#first = this.#marks();
  }

  /**
   * The marks of the place with this name. Threads share them when the thread that starts another one has opened the
   * storage before; else each has its own, and learns the changes of others as those of another process.
   */
  static at(place: string): SharedMarks {
    return new SharedMarks(place, false);
  }

  /**
   * The marks for a store that has read `stored` from its database after it made this object. When a shared mark is
   * higher, the place has another database now, or an older copy of the same: new marks begin.
   */
  of(stored: Iterable<Mark>): SharedMarks {
    const marks = new Map(stored);
    return this.#first.every(([kind, mark]) => mark <= (marks.get(kind) ?? 0))
      ? this
      : new SharedMarks(this.#place, true);
  }

  /** Raises the marks to the given ones, where they are lower, and wakes all that watch. */
  announce(marks: Iterable<Mark>): void {
    for (const [kind, mark] of marks) this.#raise(firstMark + order.indexOf(kind), BigInt(mark));
    Atomics.add(this.#cells, announced, 1n);
    Atomics.notify(this.#cells, announced);
  }

  /**
   * Calls `changed` with all marks after announcements, those of the caller included; several may share a call. Does
   * not keep the event loop running.
   */
  watch(changed: (marks: readonly Mark[]) => void): Disposable {
    let ended = false;
    const wait = (seen: bigint): void => {
      // Answers at once, with a text, when there was an announcement since `seen`.
      const { value } = Atomics.waitAsync(this.#cells, announced, seen);
      void Promise.resolve(value).then(() => {
        if (ended) return;
        // In this order: an announcement after the load wakes the next wait.
        const now = Atomics.load(this.#cells, announced);
        const marks = this.#marks();
        wait(now);
        if (now !== seen) changed(marks);
      });
    };
    wait(Atomics.load(this.#cells, announced));
    return {
      [Symbol.dispose]: () => {
        ended = true;
        // Ends the wait; the other ones are repeated.
        Atomics.notify(this.#cells, announced);
      },
    };
  }

  #raise(cell: number, mark: bigint): void {
    for (;;) {
      const known = Atomics.load(this.#cells, cell);
      if (known >= mark || Atomics.compareExchange(this.#cells, cell, known, mark) === known) return;
    }
  }

  #marks(): readonly Mark[] {
    return order.map((kind, index) => [kind, Number(Atomics.load(this.#cells, firstMark + index))]);
  }
}
