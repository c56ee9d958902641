import { signal, type ReadonlySignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { read, Refusal } from './broker-client.ts';
import { connection, onEvents } from './live.ts';
import type { JournalEvent } from './shapes.ts';

/** What the page knows of a route: the last answer, and why there is none or no newer one. */
export interface Answer<T> {
  readonly value?: T;
  readonly failure?: Refusal;
}

export interface Freshness {
  /** Whether an event may change the answer. Default: none does. */
  readonly concerns?: (event: JournalEvent) => boolean;
  /** Seconds after which the answer is read again while the page is visible: for what no event tells. */
  readonly every_s?: number;
  /** The least time between two reads. */
  readonly least_ms?: number;
}

/** The latest answers by path: a view that is opened again shows at once what it showed last. */
const known = new Map<string, unknown>();
const mostKnown = 60;

function remember(path: string, value: unknown): void {
  known.delete(path);
  known.set(path, value);
  for (const oldest of known.keys()) {
    if (known.size <= mostKnown) return;
    known.delete(oldest);
  }
}

/**
 * Reads a route, and reads it again after events that concern it: at most once in `least_ms`, and never while the page
 * is hidden. `path` undefined: nothing is read.
 */
export function useAnswer<T>(path: string | undefined, freshness: Freshness = {}): ReadonlySignal<Answer<T>> {
  const answer = useMemo(
    () => signal<Answer<T>>(path !== undefined && known.has(path) ? { value: known.get(path) as T } : {}),
    [path],
  );
  useEffect(() => (path === undefined ? undefined : keepFresh(path, answer, freshness)), [path]);
  return answer;
}

function keepFresh<T>(
  path: string,
  answer: { value: Answer<T>; peek(): Answer<T> },
  { concerns = () => false, every_s, least_ms = 1_000 }: Freshness,
): () => void {
  const ended = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let began = -Infinity;
  let reading = false;
  let stale = false;

  async function readNow(): Promise<void> {
    timer = undefined;
    if (document.hidden || reading) return void (stale = true);
    [reading, stale, began] = [true, false, performance.now()];
    let again_ms = every_s === undefined ? undefined : every_s * 1_000;
    try {
      const value = await read<T>(path, ended.signal);
      remember(path, value);
      if (!ended.signal.aborted) answer.value = { value };
    } catch (error) {
      if (ended.signal.aborted) return;
      const failure = error instanceof Refusal ? error : new Refusal(0, 'BROKEN', String(error));
      answer.value = { ...answer.peek(), failure };
      // A refusal stays until something changes; a broker that is away, or busy, is asked again.
      if (failure.status === 0 || failure.status === 429 || failure.status >= 500)
        again_ms = (failure.retry_after_s ?? 5) * 1_000;
    } finally {
      reading = false;
    }
    if (stale) soon();
    else if (again_ms !== undefined) timer = setTimeout(readNow, again_ms);
  }

  function soon(): void {
    stale = true;
    if (reading || document.hidden) return;
    clearTimeout(timer);
    timer = setTimeout(readNow, Math.max(50, began + least_ms - performance.now()));
  }

  const shown = (): void => {
    if (!document.hidden && (stale || every_s !== undefined)) soon();
  };
  const unlisten = onEvents((events) => {
    if (events.length === 0 || events.some(concerns)) soon();
  });
  document.addEventListener('visibilitychange', shown);
  void readNow();
  return () => {
    ended.abort();
    clearTimeout(timer);
    unlisten();
    document.removeEventListener('visibilitychange', shown);
  };
}

/** Whether answers may be old because the broker does not answer. */
export const isLost = (): boolean => connection.value.state === 'lost';
