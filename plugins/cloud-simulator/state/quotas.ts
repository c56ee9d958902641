import type { CatalogueInstanceType } from '../catalogue.ts';
import type { Market } from '../launch/specification/launch-spec.ts';
import type { Quotas } from '../knobs/launch-knobs.ts';
import { AwsError } from '../wire/errors.ts';

/** Quota usage of the live machines of an account in a region. */
export interface Usage {
  onDemandVcpus: number;
  spotMachines: number;
}

/** The rest of a quota for a launch; each machine counts `each`. */
export interface Allowance {
  readonly left: number;
  readonly each: number;
  refusal(): AwsError;
}

/** Adds `change` live machines to the usage. */
export function countUsage(usage: Usage, type: CatalogueInstanceType, market: Market, change: number): void {
  if (market === 'spot') usage.spotMachines += change;
  else if (market === 'on-demand') usage.onDemandVcpus += change * type.vcpus;
}

/** The rest of the quota of a market; undefined = no bound. */
export function allowance(
  quotas: Quotas,
  usage: Usage,
  type: CatalogueInstanceType,
  market: Market,
): Allowance | undefined {
  if (market === 'spot') {
    if (quotas.spot_machines === null) return undefined;
    return {
      left: Math.max(0, quotas.spot_machines - usage.spotMachines),
      each: 1,
      refusal: () => new AwsError('MaxSpotInstanceCountExceeded', 'Max spot instance count exceeded'),
    };
  }
  const limit = quotas.on_demand_vcpus;
  // Machines of a capacity block count toward no quota.
  if (limit === null || market === 'capacity-block') return undefined;
  return { left: Math.max(0, limit - usage.onDemandVcpus), each: type.vcpus, refusal: () => vcpuLimit(limit) };
}

function vcpuLimit(limit: number): AwsError {
  return new AwsError(
    'VcpuLimitExceeded',
    `You have requested more vCPU capacity than your current vCPU limit of ${limit} allows for the instance bucket that the specified instance type belongs to.`,
  );
}
