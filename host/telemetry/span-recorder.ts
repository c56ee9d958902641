import { AsyncLocalStorage } from 'node:async_hooks';
import { placeIn, type TracePlace } from '../../core/tracing/trace-context.ts';
import type {
  FinishedSpan,
  Span,
  SpanAttributes,
  SpanFailure,
  SpanStart,
  TraceContext,
  Tracer,
} from '../../core/tracing/tracer.ts';
import { currentCall } from '../http/call-context.ts';
import { newSpanId, newTraceId } from './random-ids.ts';
import { RecordedSpan, type SpanPlace } from './recorded-span.ts';
import type { Sampler } from './sampler.ts';
import { SpanBuffer } from './span-buffer.ts';
import type { SpanBatch, SpanRecord } from './span-record.ts';

/** Milliseconds after which an incomplete batch is sent. */
const batchMs = 500;
/** Characters of the message of a failure at most. */
const longestMessage = 1_000;
/** The attributes that a span below another one has too, when it is recorded at its end. */
const inheritedNames = ['muster.request_id', 'muster.template_id', 'muster.provider_api', 'muster.attempt'];

export interface RecorderOptions {
  readonly sampler: Sampler;
  /** Takes ended spans. Must not throw and must not wait. */
  send(batch: SpanBatch): void;
  /** Hides secrets in texts that a provider or a library wrote. */
  readonly mask: (text: string) => string;
}

/**
 * Records spans as plain data and sends them on in batches. The SDK of OpenTelemetry is not loaded here, because its
 * spans would cost a call several times as much; see docs/decisions/tracing.md.
 */
export class SpanRecorder implements Tracer {
  readonly on = true;
  readonly #options: RecorderOptions;
  readonly #running = new AsyncLocalStorage<Span>();
  readonly #ended = (span: RecordedSpan): void => this.#add(span);
  readonly #batch = new SpanBuffer();
  #timer: NodeJS.Timeout | undefined;
  /** Epoch milliseconds at the origin of the monotonic clock. */
  #origin = Date.now() - performance.now();

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  start(name: string, { kind = 'internal', attributes, parent, links, sampled }: SpanStart = {}): RecordedSpan {
    const above = parent ? remotePlace(parent) : this.#current()?.place;
    const beginning = { name, kind, start: performance.now(), links };
    return new RecordedSpan(this.#placeBelow(above, sampled), beginning, attributes, this.#ended);
  }

  record({ name, kind = 'internal', context, parent, start, end, attributes, links, failure }: FinishedSpan): void {
    const above = placeIn(parent.traceparent);
    if (!above?.sampled) return;
    this.#push([
      name,
      kind,
      above.trace_id,
      (context && placeIn(context.traceparent)?.span_id) ?? newSpanId(),
      above.span_id,
      parent.tracestate ?? null,
      Math.round(start * 1_000),
      Math.round(Math.max(start, end) * 1_000),
      withFailure(context ? attributes : { ...this.#inherited(), ...attributes }, failure),
      linksOf(links),
      this.#messageOf(failure),
    ]);
  }

  within<T>(span: Span, run: () => T): T {
    return this.#running.run(span, run);
  }

  current(): TraceContext | undefined {
    return this.#current()?.context;
  }

  annotate(attributes: SpanAttributes): void {
    this.#current()?.set(attributes);
  }

  /** Sends what is recorded. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#batch.take();
    if (!batch) return;
    // The clock of the host may have been set.
    this.#origin = Date.now() - performance.now();
    this.#options.send(batch);
  }

  /** What runs on after its span has ended, for example a timer, belongs to no span. */
  #current(): RecordedSpan | undefined {
    const span = this.#running.getStore() ?? currentCall()?.span;
    return span instanceof RecordedSpan && !span.hasEnded ? span : undefined;
  }

  /** What a call to a provider has in common with the call into the plugin that makes it. */
  #inherited(): SpanAttributes {
    const inherited: Record<string, string | number | boolean> = {};
    const { attributes } = this.#current() ?? {};
    for (const name of attributes ? inheritedNames : []) {
      const value = attributes?.[name];
      if (value !== undefined) inherited[name] = value;
    }
    return inherited;
  }

  #placeBelow(above: Omit<SpanPlace, 'parent_id'> | undefined, sampled: true | undefined): SpanPlace {
    const { sampler } = this.#options;
    const span_id = newSpanId();
    if (!above) {
      const trace_id = newTraceId();
      const decided = sampled ?? sampler(trace_id, undefined);
      return { trace_id, span_id, parent_id: null, tracestate: null, sampled: decided };
    }
    const { trace_id, span_id: parent_id, tracestate } = above;
    return { trace_id, span_id, parent_id, tracestate, sampled: sampled ?? sampler(trace_id, above.sampled) };
  }

  #add({ place, beginning, attributes, failure }: RecordedSpan): void {
    const { name, kind, start, links } = beginning;
    const { trace_id, span_id, parent_id, tracestate } = place;
    this.#push([
      name,
      kind,
      trace_id,
      span_id,
      parent_id,
      tracestate,
      Math.round((this.#origin + start) * 1_000),
      Math.round((this.#origin + performance.now()) * 1_000),
      withFailure(attributes, failure),
      linksOf(links),
      this.#messageOf(failure),
    ]);
  }

  #messageOf(failure: SpanFailure | undefined): string | null {
    return failure ? this.#options.mask(failure.message).slice(0, longestMessage) : null;
  }

  #push(record: SpanRecord): void {
    const text = JSON.stringify(record);
    if (!this.#batch.add(text)) {
      this.flush();
      // A span that no batch has room for is sent alone.
      if (!this.#batch.add(text)) return this.#options.send({ json: `[${text}]`, spans: 1 });
    }
    this.#timer ??= setTimeout(() => this.flush(), batchMs).unref();
  }
}

function remotePlace({ traceparent, tracestate = null }: { traceparent: string; tracestate?: string | null }) {
  const place: TracePlace | undefined = placeIn(traceparent);
  return place && { ...place, tracestate };
}

const withFailure = (attributes: SpanAttributes, failure: SpanFailure | undefined): SpanAttributes =>
  failure ? { ...attributes, 'muster.outcome': failure.code, 'error.type': failure.code } : attributes;

const linksOf = (links: readonly TraceContext[] | undefined): SpanRecord[9] =>
  !links || links.length === 0
    ? null
    : links.flatMap(({ traceparent }) => {
        const place = placeIn(traceparent);
        return place ? [[place.trace_id, place.span_id] as const] : [];
      });
