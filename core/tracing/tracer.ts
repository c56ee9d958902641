/** A place in a trace, in the form of the W3C headers with these names. */
export interface TraceContext {
  /** The trace, the span, and whether the trace is sampled. */
  readonly traceparent: string;
  /** What the systems that the trace passed through added. At most 512 characters. */
  readonly tracestate?: string;
}

/**
 * Facts about a span; one that is undefined says nothing. Never a secret, and no text that a caller wrote beyond the
 * ids and names of its call.
 */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** `server`: a call that muster answers; `client`: a call that muster makes to another system. */
export type SpanKind = 'server' | 'client' | 'internal';

/** Why a span failed. */
export interface SpanFailure {
  /** The code of the error or fault. */
  readonly code: string;
  readonly message: string;
}

export interface SpanStart {
  /** Default `internal`. */
  readonly kind?: SpanKind;
  /** Kept as it is until the span ends: it must not change. */
  readonly attributes?: SpanAttributes;
  /** Default: the span whose code runs. Without one, the span begins a trace. */
  readonly parent?: TraceContext | undefined;
  /** Other spans for which this one was made. */
  readonly links?: readonly TraceContext[];
  /** Records the span whatever the sampler decides, because it serves a trace that is sampled. */
  readonly sampled?: true;
}

/** A piece of work with a beginning and an end. */
export interface Span {
  /** Undefined: tracing is off. */
  readonly context: TraceContext | undefined;
  /** Adds facts; a later one takes precedence. The object is kept until the span ends: it must not change. */
  set(attributes: SpanAttributes): void;
  fail(failure: SpanFailure): void;
  /** Ends the span. Further calls have no effect. */
  end(): void;
}

/** A span that is recorded when it has ended: another process, or none, may have seen its beginning. */
export interface FinishedSpan {
  readonly name: string;
  readonly kind?: SpanKind;
  /**
   * The place of the span itself; see `contextBelow`. Absent: a new one below the span whose code runs, of the same
   * request, template and provider API.
   */
  readonly context?: TraceContext;
  readonly parent: TraceContext;
  /** Epoch milliseconds. */
  readonly start: number;
  readonly end: number;
  readonly attributes: SpanAttributes;
  readonly links?: readonly TraceContext[];
  readonly failure?: SpanFailure;
}

/** A span that has ended now, with none below it: it costs less than one that is started. */
export interface LeafSpan {
  readonly name: string;
  /** When it began, by `moment`. */
  readonly start: number;
  readonly attributes: SpanAttributes;
  readonly failure?: SpanFailure;
}

/** Records what muster does as spans of traces. Nothing that it does affects the work: it neither waits nor throws. */
export interface Tracer {
  /** Whether spans are recorded. Callers skip what only a span needs when it is false. */
  readonly on: boolean;
  /** Begins a span. A trace that is not sampled gets one that records nothing. */
  start(name: string, about?: SpanStart): Span;
  record(span: FinishedSpan): void;
  /** The time on a clock that only a LeafSpan uses. */
  moment(): number;
  /** Records a span below the one whose code runs; without one, it begins a trace. */
  leaf(span: LeafSpan): void;
  /** Runs code of a span: spans that `run` starts, also asynchronously and until the span ends, are below it. */
  within<T>(span: Span, run: () => T): T;
  /** The place of the span whose code runs. */
  current(): TraceContext | undefined;
  /** Adds facts to the span whose code runs. */
  annotate(attributes: SpanAttributes): void;
}

/** The span of a tracer that is off. */
export const noSpan: Span = { context: undefined, set: () => {}, fail: () => {}, end: () => {} };

/** A tracer that records nothing. */
export const noTracer: Tracer = {
  on: false,
  start: () => noSpan,
  record: () => {},
  moment: () => 0,
  leaf: () => {},
  within: (_, run) => run(),
  current: () => undefined,
  annotate: () => {},
};
