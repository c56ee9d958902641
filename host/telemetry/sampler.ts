import type { SamplerSettings } from '../../config/telemetry/telemetry-settings.ts';

/** Whether a trace is sampled. `parent`: the decision of the caller; undefined when there is none. */
export type Sampler = (trace_id: string, parent: boolean | undefined) => boolean;

/** The largest value of the digits that decide. */
const range = 2 ** 32;

/**
 * Creates a sampler. The decision by ratio depends on the trace id alone, so that every process decides alike; it
 * takes its last digits, which are random in every trace id (W3C Trace Context, level 2).
 */
export function samplerOf({ ratio, parent_based }: SamplerSettings): Sampler {
  const limit = ratio * range;
  const byRatio = (trace_id: string): boolean =>
    ratio >= 1 || (ratio > 0 && Number.parseInt(trace_id.slice(-8), 16) < limit);
  return (trace_id, parent) => (parent_based && parent !== undefined ? parent : byRatio(trace_id));
}
