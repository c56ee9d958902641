import type { Log } from '../../core/contract/log.ts';
import type { FaultKind } from '../../core/contract/fault.ts';
import type { ProviderMeter } from '../../core/providers/guard/provider-meter.ts';

const told = (ms: number, kind: FaultKind | undefined) => ({
  ms: Math.round(ms * 10) / 10,
  ...(kind === undefined ? {} : { fault: kind }),
});

/**
 * A meter that also tells every call at debug: of which instance, what, how long, and the kind of its fault. What was
 * sent and answered is not told.
 */
export const loggedCalls = (meter: ProviderMeter, log: Log): ProviderMeter => ({
  verb(instance, verb) {
    const counted = meter.verb(instance, verb);
    return (ms, kind) => {
      counted(ms, kind);
      log.debug({ provider_instance: instance, call: verb, ...told(ms, kind) }, 'A call into a plugin ended.');
    };
  },
  calls(instance) {
    const counted = meter.calls(instance);
    return {
      record(call) {
        counted.record(call);
        log.debug(
          { provider_instance: instance, action: call.action, ...told(call.ms, call.kind) },
          'A call at a provider ended.',
        );
      },
    };
  },
});
