import type { CatalogueInstanceType } from '../catalogue.ts';
import type { Market } from '../launch/specification/launch-spec.ts';
import type { Moment } from '../dispatch/call-context.ts';
import { AwsError } from '../wire/errors.ts';
import type { RegionState } from './region-state.ts';

/** What the live machines of an account in a region count against its quotas. */
export interface Usage {
  onDemandVcpus: number;
  spotMachines: number;
}

/** What of a quota is left for a launch: machines, each of which counts `each`. */
export interface Allowance {
  readonly left: number;
  readonly each: number;
  refusal(): AwsError;
}

/** Notes that `change` machines more are live. */
export function countUsage(state: RegionState, type: CatalogueInstanceType, market: Market, change: number): void {
  if (market === 'spot') state.usage.spotMachines += change;
  else state.usage.onDemandVcpus += change * type.vcpus;
}

/** What the quotas of the market leave; undefined = no bound. */
export function allowance(moment: Moment, type: CatalogueInstanceType, market: Market): Allowance | undefined {
  const { quotas } = moment.knobs;
  const { usage } = moment.state;
  if (market === 'spot') {
    if (quotas.spot_machines === null) return undefined;
    return {
      left: Math.max(0, quotas.spot_machines - usage.spotMachines),
      each: 1,
      refusal: () => new AwsError('MaxSpotInstanceCountExceeded', 'Max spot instance count exceeded'),
    };
  }
  const limit = quotas.on_demand_vcpus;
  if (limit === null) return undefined;
  return { left: Math.max(0, limit - usage.onDemandVcpus), each: type.vcpus, refusal: () => vcpuLimit(limit) };
}

function vcpuLimit(limit: number): AwsError {
  return new AwsError(
    'VcpuLimitExceeded',
    `You have requested more vCPU capacity than your current vCPU limit of ${limit} allows for the instance bucket that the specified instance type belongs to.`,
  );
}
