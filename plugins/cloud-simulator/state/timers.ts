import type { Moment } from '../dispatch/call-context.ts';

/** What will happen by itself in the simulated cloud, in order of time. Nothing runs until somebody looks: there are no timers. */
export interface Agenda {
  /** `at` in milliseconds of the simulator's clock. Events of one instant run in the order in which they were planned. */
  plan(at: number, event: Event): void;
  /** Runs everything that is due, also what due events plan for a time that is past. */
  settle(now: number): void;
}

/** What happens then; the moment is that for which it was planned. */
export type Event = (moment: Moment) => void;

interface Entry {
  readonly at: number;
  readonly order: number;
  readonly event: Event;
}

/** An agenda kept as a binary heap. */
export function createTimers(momentAt: (at: number) => Moment): Agenda {
  const heap: Entry[] = [];
  let order = 0;
  return {
    plan(at, event) {
      heap.push({ at, order: order++, event });
      rise(heap, heap.length - 1);
    },
    settle(now) {
      for (let first = heap[0]; first !== undefined && first.at <= now; first = heap[0]) {
        const last = heap.pop() as Entry;
        if (heap.length > 0) {
          heap[0] = last;
          sink(heap);
        }
        first.event(momentAt(first.at));
      }
    },
  };
}

function before(a: Entry, b: Entry): boolean {
  return a.at === b.at ? a.order < b.order : a.at < b.at;
}

function rise(heap: Entry[], from: number): void {
  const entry = heap[from] as Entry;
  let at = from;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!before(entry, heap[parent] as Entry)) break;
    heap[at] = heap[parent] as Entry;
    at = parent;
  }
  heap[at] = entry;
}

function sink(heap: Entry[]): void {
  const entry = heap[0] as Entry;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && before(heap[child + 1] as Entry, heap[child] as Entry)) child++;
    if (!before(heap[child] as Entry, entry)) break;
    heap[at] = heap[child] as Entry;
    at = child;
  }
  heap[at] = entry;
}
