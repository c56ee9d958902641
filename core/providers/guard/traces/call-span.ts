import { noSpan, type Span, type SpanAttributes, type TraceContext, type Tracer } from '../../../tracing/tracer.ts';
import type { CalledFor } from '../called-for.ts';
import type { CallEnd } from '../guard.ts';

/** Where the span of a call is: below another one, or linked to those of the requests that share the call. */
export interface CallTrace {
  readonly parent?: TraceContext;
  readonly links?: readonly TraceContext[];
  readonly attributes?: SpanAttributes;
}

/** A call into a plugin. */
interface TracedCall {
  readonly instance: string;
  readonly verb: string;
  readonly api?: string | undefined;
  readonly of?: readonly CalledFor[] | undefined;
  readonly trace?: CallTrace | null | undefined;
}

/** Begins the span of a call into a plugin: `launch`, `observe`, … */
export function callSpan({ instance, verb, api, of = [], trace }: TracedCall, tracer: Tracer): Span {
  // A call for requests whose traces are not recorded must not begin one.
  if (trace === null || (trace === undefined && of.length > 0)) return noSpan;
  const [only] = of.length === 1 ? of : [];
  const { attributes, ...place } = trace ?? {};
  return tracer.start(verb, {
    ...place,
    ...(place.links === undefined ? {} : { sampled: true }),
    attributes: {
      'muster.provider_instance': instance,
      'muster.provider_api': api,
      ...(only ? requestAttributes(only) : {}),
      ...attributes,
    },
  });
}

const requestAttributes = ({ request_id, template_id }: CalledFor): SpanAttributes => ({
  'muster.request_id': request_id,
  ...(template_id === '' ? {} : { 'muster.template_id': template_id }),
});

/** Ends the span of a call with its outcome. */
export function endSpan(span: Span, { kind, fault, aborted }: CallEnd): void {
  if (aborted) span.set({ 'muster.outcome': 'aborted' });
  else if (kind === undefined) span.set({ 'muster.outcome': 'ok' });
  else {
    span.set({ 'muster.fault_kind': kind });
    span.fail({ code: fault?.code ?? kind, message: fault?.message ?? '' });
  }
  span.end();
}
