/**
 * Planned events of the simulated cloud, in order of time. Events run only in `settle`, never by the computer's
 * timers.
 */
export interface Timers<Context> {
  /**
   * `at` in milliseconds of the simulator's clock. Events of one instant run in the order in which they were planned.
   */
  plan(at: number, event: Event<Context>): void;
  /** Runs all events that are due, including due events that they plan. */
  settle(now: number): void;
}

/** An event, which runs in the context of its planned time. */
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
