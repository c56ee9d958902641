import type { AttemptRecord } from '../../model/attempt.ts';
import type { RequestRecord } from '../../model/request.ts';
import type { FinishedSpan, SpanFailure } from '../../tracing/tracer.ts';

type Ended = Omit<FinishedSpan, 'context' | 'parent'>;

/** The span of an attempt: from its order until no further machine starts. */
export function attemptSpan(attempt: AttemptRecord, machines: number): Ended {
  const { request_id, order, provider_instance, api, state, created_at, ended_at = created_at, message } = attempt;
  const why = attempt.shortfall.at(-1) ?? attempt.deferred_for ?? attempt.outcomes?.at(-1);
  const failed = state === 'closed' || state === 'lost' || attempt.shortfall.length > 0;
  return {
    name: 'attempt',
    start: created_at,
    end: ended_at,
    attributes: {
      'muster.request_id': request_id,
      'muster.attempt': attempt.attempt,
      'muster.template_id': order.template.template_id,
      'muster.provider_instance': provider_instance,
      'muster.provider_api': api,
      'muster.machine_count': order.machine_count,
      'muster.machines': machines,
      'muster.attempt_state': state,
      ...(failed ? {} : { 'muster.outcome': 'ok' }),
    },
    ...(failed ? { failure: { code: why?.code ?? state, message: why?.message ?? message ?? '' } } : {}),
  };
}

/** The span of a request or return: from its acceptance to its end. `omitted`: how many spans it has no room for. */
export function requestSpan(request: RequestRecord, omitted: number): Ended {
  const { request_id, kind, status, template_id, provider_instance, machine_count, created_at } = request;
  const failure = failureOf(request);
  return {
    name: kind === 'return' ? 'return' : 'request',
    start: created_at,
    end: request.completed_at ?? created_at,
    attributes: {
      'muster.request_id': request_id,
      'muster.status': status,
      'muster.machine_count': machine_count,
      'muster.delivered': request.fulfilment?.delivered ?? request.delivered,
      'muster.template_id': template_id ?? undefined,
      'muster.provider_instance': provider_instance,
      'muster.spans_omitted': omitted === 0 ? undefined : omitted,
      ...(failure ? {} : { 'muster.outcome': status === 'cancelled' ? 'cancelled' : 'ok' }),
    },
    ...(failure ? { failure } : {}),
  };
}

function failureOf({ status, fulfilment, message }: RequestRecord): SpanFailure | undefined {
  const [shortfall] = fulfilment?.shortfall ?? [];
  if (status === 'cancelled' || (status === 'completed' && !shortfall)) return undefined;
  return { code: shortfall?.code ?? status, message };
}
