import type { TraceContext } from '../../core/tracing/tracer.ts';

/** Where version 1 of the API of OpenTelemetry keeps what a program registered. */
const registered = Symbol.for('opentelemetry.js.api.1');

/**
 * The place of this program in a trace, which its calls continue: that of the running span, in a program that uses
 * OpenTelemetry; else TRACEPARENT and TRACESTATE of the environment, as a parent process sets them. Loads nothing for
 * a program without a trace.
 */
export async function outgoingTrace(env: NodeJS.ProcessEnv = process.env): Promise<TraceContext | undefined> {
  const carrier = (registered in globalThis ? await runningSpan() : undefined) ?? {
    traceparent: env['TRACEPARENT'],
    tracestate: env['TRACESTATE'],
  };
  if (carrier.traceparent === undefined) return undefined;
  const { traceContextOf } = await import('../../core/tracing/trace-context.ts');
  return traceContextOf(carrier.traceparent, carrier.tracestate);
}

interface Carrier {
  traceparent?: string;
  tracestate?: string;
}

/** The running span of a program that uses OpenTelemetry; undefined when none runs. */
async function runningSpan(): Promise<Carrier | undefined> {
  const { context, propagation } = await import('@opentelemetry/api');
  const carrier: Carrier = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent === undefined ? undefined : carrier;
}
