import type { Log } from '../../core/contract/log.ts';
import type { FaultKind } from '../../core/contract/fault.ts';
import type { ProviderMeter } from '../../core/providers/guard/meter/provider-meter.ts';

const fieldsOf = (ms: number, kind: FaultKind | undefined) => ({
  ms: Math.round(ms * 10) / 10,
  ...(kind === undefined ? {} : { fault: kind }),
});

/**
 * Wraps a meter so that every call is logged at debug: instance, verb or action, duration and fault kind. Payloads are
 * not logged.
 */
export const loggedCalls = (meter: ProviderMeter, log: Log): ProviderMeter => ({
  verb(instance, verb) {
    const counted = meter.verb(instance, verb);
    return (ms, kind) => {
      counted(ms, kind);
      log.debug({ provider_instance: instance, call: verb, ...fieldsOf(ms, kind) }, 'A call into a plugin ended.');
    };
  },
  notices: (instance, kind, outcome, count) => meter.notices(instance, kind, outcome, count),
  calls(instance) {
    const counted = meter.calls(instance);
    return {
      record(call) {
        counted.record(call);
        log.debug(
          { provider_instance: instance, action: call.action, ...fieldsOf(call.ms, call.kind) },
          'A call at a provider ended.',
        );
      },
    };
  },
});
