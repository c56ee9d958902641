import { AsyncLocalStorage } from 'node:async_hooks';
import { placeIn } from '../../core/tracing/trace-context.ts';
import type {
  FinishedSpan,
  Span,
  SpanAttributes,
  SpanFailure,
  SpanStart,
  TraceContext,
  Tracer,
} from '../../core/tracing/tracer.ts';
import { newSpanId, newTraceId } from './random-ids.ts';
import { RecordedSpan, type SpanPlace } from './recorded-span.ts';
import type { Sampler } from './sampler.ts';
import type { SpanBatch, SpanRecord } from './span-record.ts';

/** Spans of one batch at most, and milliseconds after which an incomplete batch is sent. */
const batchSize = 256;
const batchMs = 500;
/** Characters of a text in a span at most. */
const longestText = 1_000;
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
 * spans cost a call three times as much; the thread that exports hands the spans to it. See
 * docs/decisions/tracing.md.
 */
export class SpanRecorder implements Tracer {
  readonly on = true;
  readonly #options: RecorderOptions;
  readonly #running = new AsyncLocalStorage<Span>();
  readonly #ended = (span: RecordedSpan): void => this.#add(span);
  #batch: SpanRecord[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** Epoch milliseconds at the origin of the monotonic clock. */
  #origin = Date.now() - performance.now();

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  start(name: string, { kind = 'internal', attributes, parent, links, sampled }: SpanStart = {}): RecordedSpan {
    const place = this.#placeBelow(parent ?? this.current(), sampled);
    const span = new RecordedSpan(place, { name, kind, start: this.#now(), links }, this.#ended);
    if (attributes) span.set(attributes);
    return span;
  }

  record({ name, kind = 'internal', context, parent, start, end, attributes, links, failure }: FinishedSpan): void {
    const above = placeIn(parent.traceparent);
    if (!above?.sampled) return;
    const span_id = (context && placeIn(context.traceparent)?.span_id) ?? newSpanId();
    const { trace_id, span_id: parent_id } = above;
    const { tracestate } = parent;
    this.#push({
      name,
      kind,
      trace_id,
      span_id,
      parent_id,
      tracestate,
      start,
      end: Math.max(start, end),
      ...this.#facts(context ? attributes : { ...this.#inherited(), ...attributes }, failure),
      ...linksOf(links),
    });
  }

  within<T>(span: Span, run: () => T): T {
    return this.#running.run(span, run);
  }

  current(): TraceContext | undefined {
    const span = this.#current();
    return span?.context;
  }

  annotate(attributes: SpanAttributes): void {
    this.#current()?.set(attributes);
  }

  /** Sends what is recorded. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#batch;
    if (batch.length === 0) return;
    this.#batch = [];
    this.#origin = Date.now() - performance.now();
    this.#options.send({ json: JSON.stringify(batch), spans: batch.length });
  }

  /** What a call to a provider has in common with the call into the plugin that makes it. */
  #inherited(): SpanAttributes {
    const span = this.#current();
    if (!span) return {};
    return Object.fromEntries(
      inheritedNames.flatMap((name) => {
        const value = span.attributes[name];
        return value === undefined ? [] : [[name, value]];
      }),
    );
  }

  /** What runs on after its span has ended, for example a timer, belongs to no span. */
  #current(): RecordedSpan | undefined {
    const span = this.#running.getStore();
    return span instanceof RecordedSpan && !span.hasEnded ? span : undefined;
  }

  #placeBelow(parent: TraceContext | undefined, sampled: true | undefined): SpanPlace {
    const above = parent && placeIn(parent.traceparent);
    const span_id = newSpanId();
    const { sampler } = this.#options;
    if (!above) {
      const trace_id = newTraceId();
      return { trace_id, span_id, sampled: sampled ?? sampler(trace_id, undefined) };
    }
    const { trace_id, span_id: parent_id } = above;
    const { tracestate } = parent;
    return { trace_id, span_id, parent_id, tracestate, sampled: sampled ?? sampler(trace_id, above.sampled) };
  }

  #add({ place, beginning, attributes, failure }: RecordedSpan): void {
    const { name, kind, start, links } = beginning;
    const { trace_id, span_id, parent_id, tracestate } = place;
    this.#push({
      name,
      kind,
      trace_id,
      span_id,
      parent_id,
      tracestate,
      start,
      end: this.#now(),
      ...this.#facts(attributes, failure),
      ...linksOf(links),
    });
  }

  #facts(attributes: SpanAttributes, failure: SpanFailure | undefined): Pick<SpanRecord, 'attributes' | 'failure'> {
    const bounded: Record<string, string | number | boolean> = {};
    for (const name in attributes) {
      const value = attributes[name] as string | number | boolean;
      bounded[name] = typeof value === 'string' && value.length > longestText ? value.slice(0, longestText) : value;
    }
    if (!failure) return { attributes: bounded };
    const { code, message } = failure;
    bounded['muster.outcome'] = code;
    bounded['error.type'] = code;
    return { attributes: bounded, failure: { code, message: this.#options.mask(message).slice(0, longestText) } };
  }

  #push(record: SpanRecord): void {
    this.#batch.push(record);
    if (this.#batch.length >= batchSize) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), batchMs).unref();
  }

  #now(): number {
    return this.#origin + performance.now();
  }
}

function linksOf(links: readonly TraceContext[] | undefined): Pick<SpanRecord, 'links'> {
  if (!links || links.length === 0) return {};
  const places = links.flatMap(({ traceparent }) => placeIn(traceparent) ?? []);
  return { links: places.map(({ trace_id, span_id }) => ({ trace_id, span_id })) };
}
