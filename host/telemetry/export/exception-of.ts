import type { SpanAttributes } from '../../../core/tracing/tracer.ts';
import type { ReadSpan } from '../batch/span-batch.ts';

/** The event of a span that failed, as the semantic conventions of OpenTelemetry name it, and the text of its status. */
export interface ExceptionEvent {
  readonly name: 'exception';
  readonly attributes: SpanAttributes;
  readonly message: string;
}

/** Undefined: the span did not fail. */
export function exceptionOf({ failure, attributes }: ReadSpan): ExceptionEvent | undefined {
  if (failure === null) return undefined;
  const code = String(attributes['error.type'] ?? '');
  return {
    name: 'exception',
    attributes: { 'exception.type': code, 'exception.message': failure },
    message: failure || code,
  };
}
