import type { KnobChange } from '../../../plugins/cloud-simulator/knobs/knobs.ts';
import type { ThrottleKnobs } from '../../../plugins/cloud-simulator/knobs/wire-knobs.ts';
import type { FreshOptions } from './provisioning.ts';

/** A cloud that grants no higher rates than AWS does by default, and a broker whose own brake is on as it is there. */
export function asOnAws(
  knobs: Omit<KnobChange, 'throttle'> & { readonly throttle?: Partial<ThrottleKnobs> },
): Required<Omit<FreshOptions, 'env'>> {
  return {
    knobs: { ...knobs, throttle: { default_buckets: true, ...knobs.throttle } },
    config: { rate_limits: { enabled: true } },
  };
}
