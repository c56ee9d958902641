import { EventStreamParser } from './event-stream.ts';
import { api } from './place.ts';
import type { EventList, JournalEvent } from './shapes.ts';

/** `live`: events arrive as they happen. `lost`: the broker does not answer; the reader tries again by itself. */
export type ConnectionState = 'connecting' | 'live' | 'lost';

export interface EventReaderOptions {
  readonly fetch: typeof globalThis.fetch;
  /** Events in the order of the journal: none skipped, none twice. */
  events(events: readonly JournalEvent[]): void;
  /** Called when the journal begins anew, as with another database: what is known of it no longer counts. */
  forget(): void;
  changed(state: ConnectionState): void;
  /** The longest time without a byte; the broker sends a comment every 15 s. */
  readonly silence_ms?: number;
  /** Pauses between attempts. The last one repeats. */
  readonly pauses_ms?: readonly number[];
  /** How many of the latest events are read at the start. */
  readonly latest?: number;
}

/**
 * Reads the journal: first its latest events, then the stream behind them. A stream that ends, or is silent for too
 * long, is opened again behind the last event.
 */
export class EventReader {
  readonly #options: EventReaderOptions;
  readonly #stop = new AbortController();
  #seq: number | undefined;

  constructor(options: EventReaderOptions) {
    this.#options = options;
  }

  /** Resolves when the reader is stopped. */
  async run(): Promise<void> {
    const { changed, pauses_ms = [500, 1_000, 2_000, 4_000] } = this.#options;
    changed('connecting');
    for (let failures = 0; !this.#stop.signal.aborted; ) {
      await this.#follow(() => {
        failures = 0;
        changed('live');
      }).catch(() => undefined);
      if (this.#stop.signal.aborted) return;
      changed('lost');
      await this.#pause(pauses_ms[Math.min(failures++, pauses_ms.length - 1)] as number);
    }
  }

  stop(): void {
    this.#stop.abort();
  }

  /** Reads until the connection ends. */
  async #follow(connected: () => void): Promise<void> {
    const { fetch, events, silence_ms = 18_000 } = this.#options;
    const silence = new AbortController();
    const signal = AbortSignal.any([this.#stop.signal, silence.signal]);
    let watch = setTimeout(() => silence.abort(), silence_ms);
    const heard = (): void => {
      clearTimeout(watch);
      watch = setTimeout(() => silence.abort(), silence_ms);
    };
    try {
      const seq = await this.#catchUp(signal);
      const answer = await fetch(`${api}/events/?after=${seq}`, { headers: { accept: 'text/event-stream' }, signal });
      if (!answer.ok || !answer.body) throw new Error(`The stream answered ${answer.status}.`);
      connected();
      const parser = new EventStreamParser();
      const decoder = new TextDecoder();
      const reader = answer.body.getReader();
      for (;;) {
        heard();
        const { done, value } = await reader.read();
        if (done) return;
        const found = parser.take(decoder.decode(value, { stream: true })).map(({ data }) => JSON.parse(data));
        this.#pass(found as readonly JournalEvent[], events);
      }
    } finally {
      clearTimeout(watch);
      silence.abort();
    }
  }

  /** The place in the journal behind which the stream shall begin. */
  async #catchUp(signal: AbortSignal): Promise<number> {
    const { fetch, events, forget, latest = 200 } = this.#options;
    const begins = this.#seq === undefined;
    const answer = await fetch(`${api}/events/?limit=${begins ? latest : 1}`, { signal });
    if (!answer.ok) throw new Error(`The journal answered ${answer.status}.`);
    const list = (await answer.json()) as EventList;
    if (!begins && list.next >= (this.#seq ?? 0)) return this.#seq as number;
    if (!begins) forget();
    this.#seq = undefined;
    this.#pass(list.events, events);
    return (this.#seq = list.next);
  }

  #pass(found: readonly JournalEvent[], events: EventReaderOptions['events']): void {
    const fresh = found.filter(({ seq }) => seq > (this.#seq ?? -1));
    const last = fresh.at(-1);
    if (last === undefined) return;
    this.#seq = last.seq;
    events(fresh);
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#stop.signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
    });
  }
}
