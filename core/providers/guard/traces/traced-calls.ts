import type { Tracer } from '../../../tracing/tracer.ts';
import type { CallCounter } from '../meter/provider-meter.ts';

/**
 * Wraps the counter of the calls that a plugin makes to its provider: each call is also a span below the call into the
 * plugin. A call that no recorded span made is only counted.
 */
export const tracedCalls = (instance: string, counted: CallCounter, tracer: Tracer): CallCounter => ({
  record(call) {
    counted.record(call);
    const parent = tracer.current();
    if (!parent) return;
    const { action, ms, kind, code = kind } = call;
    const end = Date.now();
    tracer.record({
      name: action,
      kind: 'client',
      parent,
      start: end - ms,
      end,
      attributes: {
        'muster.provider_instance': instance,
        'rpc.method': action,
        ...(kind === undefined ? { 'muster.outcome': 'ok' } : { 'muster.fault_kind': kind }),
      },
      ...(code === undefined ? {} : { failure: { code, message: '' } }),
    });
  },
});
