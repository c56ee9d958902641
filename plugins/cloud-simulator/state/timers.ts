/**
 * What will happen by itself in the simulated cloud, in order of time. Nothing runs before `settle`: the computer's
 * own timers take no part.
 */
export interface Timers<Context> {
  /**
   * `at` in milliseconds of the simulator's clock. Events of one instant run in the order in which they were planned.
   */
  plan(at: number, event: Event<Context>): void;
  /** Runs everything that is due, also what due events plan for a time that is past. */
  settle(now: number): void;
}

/** What happens then, in the context of the time for which it was planned. */
export type Event<Context> = (context: Context) => void;

interface Due {
  readonly at: number;
  readonly order: number;
}

interface Entry<Context> extends Due {
  readonly event: Event<Context>;
}

/** Timers kept as a binary heap. */
export function createTimers<Context>(contextAt: (at: number) => Context): Timers<Context> {
  const heap: Entry<Context>[] = [];
  let order = 0;
  return {
    plan(at, event) {
      heap.push({ at, order: order++, event });
      rise(heap, heap.length - 1);
    },
    settle(now) {
      for (let first = heap[0]; first !== undefined && first.at <= now; first = heap[0]) {
        const last = heap.pop() as Entry<Context>;
        if (heap.length > 0) {
          heap[0] = last;
          sink(heap);
        }
        first.event(contextAt(first.at));
      }
    },
  };
}

function before(a: Due, b: Due): boolean {
  return a.at === b.at ? a.order < b.order : a.at < b.at;
}

function rise(heap: Due[], from: number): void {
  const entry = heap[from] as Due;
  let at = from;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!before(entry, heap[parent] as Due)) break;
    heap[at] = heap[parent] as Due;
    at = parent;
  }
  heap[at] = entry;
}

function sink(heap: Due[]): void {
  const entry = heap[0] as Due;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && before(heap[child + 1] as Due, heap[child] as Due)) child++;
    if (!before(heap[child] as Due, entry)) break;
    heap[at] = heap[child] as Due;
    at = child;
  }
  heap[at] = entry;
}
