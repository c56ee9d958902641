import type { FastifyReply } from 'fastify';
import Negotiator from 'negotiator';
import type { Clock } from '../../core/contract/clock.ts';
import { BrokerError } from '../../core/contract/errors.ts';
import { counter, gauge, type Family } from '../metrics/family.ts';
import { OpenStream } from './open-stream.ts';
import { Turns } from './turns.ts';

/** The interval of comments, in milliseconds. */
const beatMs = 15_000;
const retryS = 5;

/** All open streams of this process. One timer keeps their connections open; without streams there is none. */
export class OpenStreams {
  readonly #most: number;
  readonly #clock: Clock;
  /** The writes to all streams share the turns. */
  readonly turns: Turns;
  readonly #streams = new Set<OpenStream>();
  readonly #cut = new Map<string, number>();
  readonly #renderings: (() => number)[] = [];
  #timer: AbortController | undefined;
  #closed = false;

  /** `most`: how many streams may be open at once. */
  constructor(most: number, clock: Clock) {
    this.#most = most;
    this.#clock = clock;
    this.turns = new Turns(clock);
  }

  get count(): number {
    return this.#streams.size;
  }

  #admit(): void {
    if (this.#closed) throw new BrokerError('UNAVAILABLE', 'The server is about to stop.', { retry_after_s: 1 });
    if (this.#streams.size < this.#most) return;
    throw new BrokerError(
      'UNAVAILABLE',
      `${this.#most} streams are open, which is the maximum (server.max_streams). Close one, or try again later.`,
      { max_streams: this.#most, retry_after_s: retryS },
    );
  }

  /** Adds a count of rendered events to the metrics. */
  measure(rendered: () => number): void {
    this.#renderings.push(rendered);
  }

  /** Begins a stream as the answer of a call. Throws UNAVAILABLE when no further stream may be opened. */
  open(reply: FastifyReply): OpenStream {
    this.#admit();
    const { raw } = reply;
    reply.hijack();
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) raw.setHeader(name, value);
    const gzip = new Negotiator(reply.request).encodings(['gzip', 'identity'])[0] === 'gzip';
    const vary = [reply.getHeader('vary') ?? [], 'Accept-Encoding'].flat().join(', ');
    raw.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      vary,
      ...(gzip ? { 'content-encoding': 'gzip' } : {}),
      // Proxies that gather answers would delay every message.
      'x-accel-buffering': 'no',
    });
    const stream = new OpenStream({
      response: raw,
      gzip,
      now: () => this.#clock.monotonic(),
      turns: this.turns,
      closed: (cut) => {
        this.#streams.delete(stream);
        if (cut !== undefined) this.#cut.set(cut, (this.#cut.get(cut) ?? 0) + 1);
        if (this.#streams.size === 0) this.#timer?.abort();
      },
    });
    this.#streams.add(stream);
    if (this.#streams.size === 1) void this.#beat();
    return stream;
  }

  /** Ends all streams; their readers go on at another server, or at this one after its restart. */
  close(): void {
    this.#closed = true;
    for (const stream of this.#streams) stream.end();
  }

  families(worker: number): readonly Family[] {
    return [
      gauge('muster_streams_open', 'Open streams of events and of requests.', [[{ worker }, this.#streams.size]]),
      counter('muster_stream_events_rendered_total', 'Events that were rendered for streams, each for all readers.', [
        [{ worker }, this.#renderings.reduce((sum, count) => sum + count(), 0)],
      ]),
      counter(
        'muster_streams_cut_total',
        'Streams that the server ended because their reader was too slow, by reason.',
        [...this.#cut].map(([reason, count]) => [{ worker, reason }, count]),
      ),
    ];
  }

  async #beat(): Promise<void> {
    const timer = new AbortController();
    this.#timer = timer;
    for (;;) {
      await this.#clock.sleep(beatMs, timer.signal);
      if (timer.signal.aborted) return;
      await this.turns.each(this.#streams, (stream) => stream.keep());
    }
  }
}
