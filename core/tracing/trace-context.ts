import { createHash } from 'node:crypto';
import type { TraceContext } from './tracer.ts';

/** The parts of a `traceparent`. */
export interface TracePlace {
  /** 32 hexadecimal digits. */
  readonly trace_id: string;
  /** 16 hexadecimal digits. */
  readonly span_id: string;
  readonly sampled: boolean;
}

/** Version, trace, span, flags. Later versions may add fields behind a further hyphen. */
const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const longest = 512;

/** Reads a `traceparent`; undefined for any text that is none. */
export function placeIn(traceparent: string): TracePlace | undefined {
  const [, version, trace_id = '', span_id = '', flags = '', more] = form.exec(traceparent.slice(0, longest)) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(trace_id) || /^0+$/.test(span_id)) return undefined;
  return { trace_id, span_id, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export const traceparentOf = ({ trace_id, span_id, sampled }: TracePlace): string =>
  `00-${trace_id}-${span_id}-${sampled ? '01' : '00'}`;

/**
 * Reads the two W3C headers of a caller. Undefined without a valid `traceparent`. An invalid or too long `tracestate` is
 * left out.
 */
export function traceContextOf(traceparent: unknown, tracestate?: unknown): TraceContext | undefined {
  const place = typeof traceparent === 'string' ? placeIn(traceparent.trim()) : undefined;
  if (!place) return undefined;
  const state = typeof tracestate === 'string' ? tracestate.trim() : '';
  const valid = state !== '' && state.length <= longest && /^[\x20-\x7e]+$/.test(state) && state.includes('=');
  return { traceparent: traceparentOf(place), ...(valid ? { tracestate: state } : {}) };
}

/**
 * The place of a span below another one, computed from its name alone: every process finds the same place, so that
 * spans can be below one that has not ended, or that another process began.
 */
export function contextBelow({ traceparent, ...rest }: TraceContext, name: string): TraceContext {
  const place = placeIn(traceparent);
  if (!place) return { traceparent, ...rest };
  const span_id = createHash('sha256').update(`${place.trace_id}\u0000${place.span_id}\u0000${name}`).digest('hex');
  return { traceparent: traceparentOf({ ...place, span_id: span_id.slice(0, 16) }), ...rest };
}
