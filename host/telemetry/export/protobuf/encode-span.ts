import { createTraceState } from '@opentelemetry/api';
import type { SpanAttributes } from '../../../../core/tracing/tracer.ts';
import { exceptionOf } from '../exception-of.ts';
import type { PlacedSpan } from '../placed-spans.ts';
import type { ProtobufWriter } from './protobuf-writer.ts';
import { anyValue, event, keyValue, kinds, link, sampled, span, spanLengthBytes, status } from './span-fields.ts';

/** Integers of 64 bits are below, and not below its opposite. */
const integerLimit = 2 ** 63;
const errorCode = 2;

/** Writes a span as a field of a message. */
export function encodeSpan(writer: ProtobufWriter, field: number, placed: PlacedSpan): void {
  const { trace_id, span_id, parent_id, tracestate, links } = placed.place;
  const begin = writer.open(field, spanLengthBytes);
  writer.hex(span.trace_id, trace_id);
  writer.hex(span.span_id, span_id);
  // Without the members that are not valid.
  if (tracestate !== null) writer.text(span.trace_state, createTraceState(tracestate).serialize());
  if (parent_id !== null) writer.hex(span.parent_span_id, parent_id);
  writer.text(span.name, placed.name);
  writer.unsigned(span.kind, kinds[placed.kind]);
  writer.microseconds(span.start_time_unix_nano, placed.start);
  writer.microseconds(span.end_time_unix_nano, placed.end);
  encodeAttributes(writer, span.attributes, placed.attributes);
  encodeFailure(writer, placed);
  for (const [trace, linked] of links) encodeLink(writer, trace, linked);
  writer.fixed32(span.flags, sampled);
  writer.close(begin, spanLengthBytes);
}

export function encodeAttributes(writer: ProtobufWriter, field: number, attributes: SpanAttributes): void {
  for (const key in attributes) {
    const value = attributes[key];
    if (value === undefined) continue;
    const begin = writer.open(field);
    writer.text(keyValue.key, key);
    const valueBegin = writer.open(keyValue.value);
    if (typeof value === 'string') writer.text(anyValue.text, value);
    else if (typeof value === 'boolean') writer.unsigned(anyValue.boolean, value ? 1 : 0);
    else if (Number.isInteger(value) && value >= -integerLimit && value < integerLimit)
      writer.signed(anyValue.integer, value);
    else writer.double(anyValue.double, value);
    writer.close(valueBegin);
    writer.close(begin);
  }
}

function encodeFailure(writer: ProtobufWriter, placed: PlacedSpan): void {
  const exception = exceptionOf(placed);
  if (!exception) return;
  const begin = writer.open(span.events);
  writer.microseconds(event.time_unix_nano, placed.end);
  writer.text(event.name, exception.name);
  encodeAttributes(writer, event.attributes, exception.attributes);
  writer.close(begin);
  const statusBegin = writer.open(span.status);
  writer.text(status.message, exception.message);
  writer.unsigned(status.code, errorCode);
  writer.close(statusBegin);
}

function encodeLink(writer: ProtobufWriter, trace_id: string, span_id: string): void {
  const begin = writer.open(span.links);
  writer.hex(link.trace_id, trace_id);
  writer.hex(link.span_id, span_id);
  writer.fixed32(link.flags, sampled);
  writer.close(begin);
}
