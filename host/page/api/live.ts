import { signal, type ReadonlySignal } from '@preact/signals';
import { EventReader, type ConnectionState } from './event-reader.ts';
import { RecentEvents } from './recent-events.ts';
import type { JournalEvent } from './shapes.ts';

const connectionSignal = signal<{ readonly state: ConnectionState; readonly since: number }>({
  state: 'connecting',
  since: Date.now(),
});
const recentSignal = signal<readonly JournalEvent[]>([]);

/** The state of the event stream, and since when it is in this state, by the clock of this computer. */
export const connection: ReadonlySignal<{ readonly state: ConnectionState; readonly since: number }> =
  connectionSignal;
/** The latest events, newest first; a bounded number. */
export const recent: ReadonlySignal<readonly JournalEvent[]> = recentSignal;

/** Called with new events, in order; with none when the connection was regained and anything may have changed. */
type Listener = (events: readonly JournalEvent[]) => void;
const listeners = new Set<Listener>();

/** Calls `listener` with new events from now on. Returns how to end that. */
export function onEvents(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** How long events are gathered before the page shows them: a burst is one change. */
const gather_ms = 200;

/** Follows the journal as long as the page is open. */
export function followJournal(): void {
  const ring = new RecentEvents(500);
  let waiting: JournalEvent[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    timer = undefined;
    const events = waiting;
    waiting = [];
    ring.add(events);
    recentSignal.value = ring.newestFirst();
    for (const listener of listeners) listener(events);
  };
  const reader = new EventReader({
    fetch: (...parameters) => fetch(...parameters),
    events(events) {
      // More than the page keeps need not wait either.
      waiting =
        waiting.length + events.length > ring.most
          ? [...waiting, ...events].slice(-ring.most)
          : [...waiting, ...events];
      timer ??= setTimeout(flush, gather_ms);
    },
    forget() {
      ring.clear();
      recentSignal.value = [];
    },
    changed(state) {
      const before = connectionSignal.value.state;
      if (state === before) return;
      connectionSignal.value = { state, since: Date.now() };
      if (before === 'lost') for (const listener of listeners) listener([]);
    },
  });
  void reader.run();
}
