import { AsyncLocalStorage } from 'node:async_hooks';
import { placeIn, type TracePlace } from '../../core/tracing/trace-context.ts';
import {
  type FinishedSpan,
  type LeafSpan,
  type Span,
  type SpanAttributes,
  type SpanFailure,
  type SpanStart,
  type TraceContext,
  type Tracer,
} from '../../core/tracing/tracer.ts';
import { currentCall } from '../http/call-context.ts';
import { newSpanId, newTraceId } from './random-ids.ts';
import { RecordedSpan, type EndedLeaf, type SpanBeginning } from './recorded-span.ts';
import type { Sampler } from './sampler.ts';
import type { SpanBatch, SpanFacts, SpanPlace } from './batch/span-batch.ts';
import { SpanWriter } from './batch/write-spans.ts';

/** Bytes of a batch that is sent at once: some 200 POSTs. */
const fullBatch = 120_000;
/** Epoch milliseconds of the latest date (ECMAScript). */
const latestTime = 8.64e15;
/** Milliseconds after which an incomplete batch is sent. */
const batchMs = 500;
/** The attributes that a span below another one has too, when it is recorded at its end. */
const inheritedNames = ['muster.request_id', 'muster.template_id', 'muster.provider_api', 'muster.attempt'];

export interface RecorderOptions {
  readonly sampler: Sampler;
  /** Takes ended spans, whose bytes it must copy or post at once. Must not throw and must not wait. */
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
  readonly #ended = (span: RecordedSpan): void => this.#addEnded(span);
  readonly #batch = new SpanWriter();
  #timer: NodeJS.Timeout | undefined;
  /** Epoch milliseconds at the origin of the monotonic clock. */
  #origin = Date.now() - performance.now();

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  start(name: string, { kind = 'internal', attributes, parent, links, sampled }: SpanStart = {}): Span {
    const running = parent ? undefined : this.#current();
    const above = parent ? remotePlace(parent) : running?.beginning;
    const trace_id = above ? above.trace_id : newTraceId();
    const beginning: SpanBeginning = {
      trace_id,
      span_id: newSpanId(),
      parent_id: above ? above.span_id : null,
      tracestate: above ? above.tracestate : null,
      sampled: sampled ?? this.#options.sampler(trace_id, above?.sampled),
      name,
      kind,
      start: performance.now(),
      links,
      ended: this.#ended,
    };
    return new RecordedSpan(beginning, attributes);
  }

  record({ name, kind = 'internal', context, parent, start, end, attributes, links, failure }: FinishedSpan): void {
    const above = placeIn(parent.traceparent);
    if (!above?.sampled) return;
    // A plugin may report a time that is no number, or one that cannot be.
    const began = isTime(start) ? start : Date.now();
    const ended = isTime(end) ? Math.max(began, end) : began;
    this.#add(
      {
        name,
        kind,
        start: Math.round(began * 1_000),
        end: Math.round(ended * 1_000),
        attributes: withFailure(context ? [attributes] : [this.#inherited(), attributes], failure),
        failure: this.#messageOf(failure),
      },
      {
        trace_id: above.trace_id,
        span_id: (context && placeIn(context.traceparent)?.span_id) ?? newSpanId(),
        parent_id: above.span_id,
        tracestate: parent.tracestate ?? null,
        links: linksOf(links),
      },
    );
  }

  moment(): number {
    return performance.now();
  }

  leaf(leaf: LeafSpan): void {
    const running = this.#current();
    const ended = { leaf, end: performance.now() };
    if (running) {
      if (running.beginning.sampled) (running.leaves ??= []).push(ended);
      return;
    }
    const trace_id = newTraceId();
    if (!this.#options.sampler(trace_id, undefined)) return;
    this.#add(this.#factsOf(ended), {
      trace_id,
      span_id: newSpanId(),
      parent_id: null,
      tracestate: null,
      links: none,
    });
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
    for (const attributes of this.#current()?.attributes ?? [])
      for (const name of inheritedNames) {
        const value = attributes[name];
        if (value !== undefined) inherited[name] = value;
      }
    return inherited;
  }

  #factsOf({ leaf, end }: EndedLeaf): SpanFacts {
    const { name, start, attributes, failure } = leaf;
    return {
      name,
      kind: 'internal',
      start: this.#epochUs(start),
      end: this.#epochUs(end),
      attributes: withFailure([attributes], failure),
      failure: this.#messageOf(failure),
    };
  }

  #epochUs(monotonic_ms: number): number {
    return Math.round((this.#origin + monotonic_ms) * 1_000);
  }

  #addEnded({ beginning, attributes, failure, leaves }: RecordedSpan): void {
    const { name, kind, trace_id, span_id, parent_id, tracestate, start, links } = beginning;
    this.#add(
      {
        name,
        kind,
        start: this.#epochUs(start),
        end: this.#epochUs(performance.now()),
        attributes: withFailure(attributes, failure),
        failure: this.#messageOf(failure),
      },
      { trace_id, span_id, parent_id, tracestate, links: linksOf(links) },
      leaves,
    );
  }

  #messageOf(failure: SpanFailure | undefined): string | null {
    return failure ? this.#options.mask(failure.message) : null;
  }

  #add(facts: SpanFacts, place: SpanPlace, leaves: readonly EndedLeaf[] = none): void {
    this.#batch.add(facts, place);
    for (const leaf of leaves) this.#batch.add(this.#factsOf(leaf));
    if (this.#batch.size >= fullBatch) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), batchMs).unref();
  }
}

const none: [] = [];

const isTime = (ms: number): boolean => ms >= 0 && ms <= latestTime;

function remotePlace({ traceparent, tracestate = null }: { traceparent: string; tracestate?: string | null }) {
  const place: TracePlace | undefined = placeIn(traceparent);
  return place && { ...place, tracestate };
}

const withFailure = (
  attributes: readonly SpanAttributes[],
  failure: SpanFailure | undefined,
): readonly SpanAttributes[] =>
  failure ? [...attributes, { 'muster.outcome': failure.code, 'error.type': failure.code }] : attributes;

const linksOf = (links: readonly TraceContext[] | undefined): SpanPlace['links'] =>
  !links || links.length === 0
    ? none
    : links.flatMap(({ traceparent }) => {
        const place = placeIn(traceparent);
        return place ? [[place.trace_id, place.span_id] as const] : [];
      });
