import type { InstrumentationScope } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { SpanBatch } from '../batch/span-batch.ts';

/** What all spans of a server have in common. */
export interface Origin {
  readonly resource: Resource;
  readonly scope: InstrumentationScope;
}

/** How the spans of a protocol wait and leave. */
export interface TraceForm {
  readonly exporter: SpanExporter;
  /** The spans of a batch, as this exporter takes them. */
  spansOf(batch: SpanBatch): readonly ReadableSpan[];
}
