import type { ProviderCall } from '../../../contract/provider/call.ts';
import type { Tracer } from '../../../tracing/tracer.ts';

/** The most characters of a code that a provider gives. */
const longestCode = 128;

/**
 * Wraps the counter of the calls that a plugin makes to its provider: each call is also a span below the call into the
 * plugin. A call that no recorded span made is only counted.
 */
export const tracedCalls = (
  instance: string,
  counted: { record(call: ProviderCall): void },
  tracer: Tracer,
): { record(call: ProviderCall): void } => ({
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
      ...(code === undefined ? {} : { failure: { code: code.slice(0, longestCode), message: '' } }),
    });
  },
});
