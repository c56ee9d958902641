import test from 'ava';
import { EventReader, type ConnectionState } from '../../../host/page/api/event-reader.ts';
import { RecentEvents } from '../../../host/page/api/recent-events.ts';
import type { JournalEvent } from '../../../host/page/api/shapes.ts';

const actor = { interface: 'broker' } as const;

/** A journal that can be listed and streamed, lose its connections, and begin anew. */
class FakeJournal {
  events: JournalEvent[] = [];
  opened: string[] = [];
  away = false;
  readonly #streams = new Set<ReadableStreamDefaultController<Uint8Array>>();

  add(...seqs: number[]): void {
    for (const seq of seqs) {
      const event: JournalEvent = { seq, at: '2026-01-01T00:00:00.000Z', type: 'machine.ready', actor, data: {} };
      this.events.push(event);
      for (const stream of this.#streams) stream.enqueue(textOf(event));
    }
  }

  lose(): void {
    for (const stream of this.#streams) stream.error(new Error('reset'));
    this.#streams.clear();
  }

  readonly fetch = (async (url: string, { signal }: RequestInit = {}) => {
    if (this.away) throw new TypeError('connection refused');
    const { searchParams: query } = new URL(url, 'http://broker');
    this.opened.push(url);
    const after = query.get('after');
    if (after === null) {
      const events = this.events.slice(-Number(query.get('limit')));
      return Response.json({ events, next: this.events.at(-1)?.seq ?? 0 });
    }
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => {
        for (const event of this.events) if (event.seq > Number(after)) stream.enqueue(textOf(event));
        this.#streams.add(stream);
        signal?.addEventListener('abort', () => {
          if (this.#streams.delete(stream)) stream.error(new Error('aborted'));
        });
      },
    });
    return new Response(body);
  }) as typeof fetch;
}

const textOf = (event: JournalEvent): Uint8Array =>
  new TextEncoder().encode(`id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);

function follow(journal: FakeJournal, options: { readonly silence_ms?: number } = {}) {
  const seen: number[] = [];
  const states: ConnectionState[] = [];
  const reader = new EventReader({
    fetch: journal.fetch,
    events: (events) => void seen.push(...events.map(({ seq }) => seq)),
    forget: () => void (seen.length = 0),
    changed: (state) => void states.push(state),
    pauses_ms: [5],
    latest: 3,
    ...options,
  });
  const ended = reader.run();
  return { seen, states, stop: () => (reader.stop(), ended) };
}

const until = async (holds: () => boolean): Promise<void> => {
  for (let tries = 0; !holds(); tries += 1) {
    if (tries > 2_000) throw new Error('What was waited for did not come.');
    await new Promise((resolve) => void setTimeout(resolve, 2));
  }
};

test('the latest events come first, then those that happen', async (t) => {
  const journal = new FakeJournal();
  journal.add(1, 2, 3, 4, 5);
  const { seen, states, stop } = follow(journal);
  await until(() => states.includes('live'));
  journal.add(6);
  await until(() => seen.includes(6));
  t.deepEqual(seen, [3, 4, 5, 6]);
  t.deepEqual(states, ['connecting', 'live']);
  await stop();
});

test('a lost connection goes on behind the last event: none is missed, none comes twice', async (t) => {
  const journal = new FakeJournal();
  journal.add(1);
  const { seen, states, stop } = follow(journal);
  await until(() => states.includes('live'));
  journal.away = true;
  journal.lose();
  await until(() => states.at(-1) === 'lost');
  journal.add(2, 3);
  journal.away = false;
  await until(() => states.at(-1) === 'live' && seen.includes(3));
  journal.add(4);
  await until(() => seen.includes(4));
  t.deepEqual(seen, [1, 2, 3, 4]);
  t.true(journal.opened.at(-1)?.includes('after=1'));
  await stop();
});

test('a connection without a byte for too long counts as lost and is opened again', async (t) => {
  const journal = new FakeJournal();
  const { states, stop } = follow(journal, { silence_ms: 20 });
  await until(() => states.filter((state) => state === 'live').length >= 2);
  t.deepEqual(states.slice(0, 4), ['connecting', 'live', 'lost', 'live']);
  await stop();
});

test('a journal that begins anew replaces what is known of the old one', async (t) => {
  const journal = new FakeJournal();
  journal.add(100, 101);
  const { seen, states, stop } = follow(journal);
  await until(() => states.includes('live'));
  journal.events = [];
  journal.add(1);
  journal.lose();
  await until(() => seen.includes(1));
  journal.add(2);
  await until(() => seen.includes(2));
  t.deepEqual(seen, [1, 2]);
  await stop();
});

test('the memory of events does not grow with their number', (t) => {
  const ring = new RecentEvents(500);
  for (let seq = 0; seq < 100_000; seq += 250)
    ring.add(Array.from({ length: 250 }, (_, index) => ({ seq: seq + index, at: '', type: 'x', actor, data: {} })));
  t.is(ring.newestFirst().length, 500);
  t.is(ring.newestFirst()[0]?.seq, 99_999);
});
