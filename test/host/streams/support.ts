import { Writable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { silentLog, type Log } from '../../../core/contract/log.ts';
import { newEvent } from '../../../core/contract/commits/new-event.ts';
import { Journal } from '../../../core/journal/journal.ts';
import type { EventFilter } from '../../../core/journal/event-filter.ts';
import { EventFeed } from '../../../host/streams/event-feed.ts';
import { OpenStreams } from '../../../host/streams/open-streams.ts';
import { MemoryStore } from '../../../plugins/storage-memory/index.ts';
import { FakeClock } from '../../support/fake-clock.ts';

/** The answer of a call whose reader takes what it gets at once, or not at all. */
export class FakeAnswer extends Writable {
  readonly taken: Buffer[] = [];
  takes = true;
  #waiting: (() => void) | undefined;
  readonly socket = {
    setTimeout: () => undefined,
    setKeepAlive: () => undefined,
    cork: () => undefined,
    uncork: () => undefined,
  };

  override _write(chunk: Buffer, _: unknown, done: () => void): void {
    const take = () => {
      this.taken.push(chunk);
      done();
    };
    if (this.takes) setImmediate(take);
    else this.#waiting = take;
  }
  take(): void {
    this.takes = true;
    this.#waiting?.();
    this.#waiting = undefined;
  }
  setHeader(): void {}
  writeHead(): void {}

  get text(): string {
    return Buffer.concat(this.taken).toString();
  }
  get seqs(): number[] {
    return [...this.text.matchAll(/^id: (\d+)\nevent: /gm)].map(([, seq]) => Number(seq));
  }
  get comments(): number {
    return [...this.text.matchAll(/^:$/gm)].length;
  }
}

export interface FeedBench {
  readonly clock: FakeClock;
  readonly store: MemoryStore;
  readonly feed: EventFeed;
  readonly streams: OpenStreams;
  /** How often events were searched in the store. */
  readonly reads: () => number;
  readonly logged: readonly string[];
  /** Appends events with so many characters of data. */
  write(count: number, characters?: number): Promise<void>;
  follow(after?: number, filter?: EventFilter, answer?: FakeAnswer): Promise<FakeAnswer>;
  /** Lets events reach their readers. */
  pass(): Promise<void>;
  fail(error: Error | undefined): void;
}

export function feedBench(most = 1000): FeedBench {
  const clock = new FakeClock();
  const store = new MemoryStore({ clock, log: silentLog });
  let reads = 0;
  let failure: Error | undefined;
  const find = store.find.bind(store);
  store.find = (async (kind: 'event', query: object) => {
    if (failure) throw failure;
    if (kind === 'event') reads += 1;
    return find(kind, query);
  }) as typeof store.find;
  const logged: string[] = [];
  const log: Log = { ...silentLog, warn: (_, message) => void logged.push(message) };
  const streams = new OpenStreams(most, clock);
  const feed = new EventFeed(store, new Journal(store), clock, log, streams.turns);
  return {
    clock,
    store,
    feed,
    streams,
    logged,
    reads: () => reads,
    async write(count, characters = 10) {
      const text = 'x'.repeat(characters);
      await store.commit(Array.from({ length: count }, () => newEvent(clock.now(), 'clock.shifted', { text })));
    },
    async follow(after, filter = {}, answer = new FakeAnswer()) {
      const reply = {
        raw: answer,
        request: { headers: {} },
        hijack: () => undefined,
        getHeader: () => undefined,
        getHeaders: () => ({}),
      } as unknown as FastifyReply;
      await feed.follow(filter, after, () => streams.open(reply));
      return answer;
    },
    async pass() {
      await clock.advance(300);
      for (let i = 0; i < 20; i++) await new Promise((resolve) => void setImmediate(resolve));
      await clock.advance(300);
    },
    fail: (error) => void (failure = error),
  };
}
