import type {
  CreateFleetError,
  CreateFleetInstance,
  DescribeFleetError,
  DescribeFleetsInstances,
} from '@aws-sdk/client-ec2';
import type { MachineReport, Shortfall } from '../../core/index.ts';
import { marketOfLifecycle, matchingPools, reasonFor, type Pool } from '../cloud/index.ts';
import type { Prepared } from './fleet-type.ts';

/** The machines and errors in the answer of CreateFleet or DescribeFleets. */
export interface FleetAnswer {
  readonly instances: readonly (CreateFleetInstance | DescribeFleetsInstances)[];
  readonly errors: readonly (CreateFleetError | DescribeFleetError)[];
}

/** Reports of the machines that a fleet lists. A fleet reports only that they were started. */
export function startedMachines(answer: FleetAnswer, weights: Prepared['weights']): MachineReport[] {
  return answer.instances.flatMap(({ InstanceIds, InstanceType, Lifecycle, LaunchTemplateAndOverrides }) => {
    const { AvailabilityZone, SubnetId } = LaunchTemplateAndOverrides?.Overrides ?? {};
    const place = AvailabilityZone ? { zone: AvailabilityZone } : {};
    const data = {
      market: marketOfLifecycle(Lifecycle),
      ...place,
      ...(InstanceType ? { machine_type: InstanceType } : {}),
      ...(SubnetId ? { subnet_id: SubnetId } : {}),
      weight: weights[InstanceType ?? ''] ?? 1,
    };
    return (InstanceIds ?? []).map((machine_id) => ({
      machine_id,
      status: 'pending' as const,
      ready: false,
      ...place,
      data,
    }));
  });
}

/** The sum of the units of capacity of these machines. */
export const unitsOf = (machines: readonly MachineReport[]): number =>
  machines.reduce((sum, machine) => sum + ((machine.data as { weight?: number } | undefined)?.weight ?? 1), 0);

/** The code that an instant fleet may also report for pools that it never tried. */
const unfulfillable = 'UnfulfillableCapacity';

/**
 * Why pools delivered fewer machines. An error of a fleet names its pool only as far as the override did, and does not
 * report how many machines are missing. A fleet that delivers less and reports no error counts as a lack of capacity
 * in all its pools. A fleet may end after a few pools and report UnfulfillableCapacity for the others: beside a pool
 * with a code of its own, that code shows nothing about a pool, which is only moved back. One reason without an offer
 * says so for all these pools: a fleet may have hundreds, and each attempt is stored.
 */
export function fleetShortfall(answer: FleetAnswer, pools: readonly Pool[]): Shortfall[] {
  const endedEarly = answer.errors.some(({ ErrorCode }) => ErrorCode !== undefined && ErrorCode !== unfulfillable);
  const isUntried = ({ ErrorCode }: FleetAnswer['errors'][number]) => endedEarly && ErrorCode === unfulfillable;
  const untried = answer.errors.filter(isUntried);
  const found = answer.errors.flatMap((error): Shortfall[] => {
    if (isUntried(error)) return [];
    const reason = reasonFor(error.ErrorCode ?? 'Unknown', error.ErrorMessage ?? '', 'CreateFleet');
    const { InstanceType, SubnetId } = error.LaunchTemplateAndOverrides?.Overrides ?? {};
    const market = error.Lifecycle === undefined ? undefined : marketOfLifecycle(error.Lifecycle);
    const isNamed = InstanceType !== undefined || SubnetId !== undefined || market !== undefined;
    // A lack of capacity without a named pool counts for the pools of the fleet, not for those that it left out.
    if (!isNamed && reason.kind !== 'capacity') return [reason];
    const named = matchingPools(pools, { machine_type: InstanceType, subnet_id: SubnetId, market });
    // A native specification may use pools that the template does not name. Their errors are reported too.
    return named.length === 0 ? [reason] : named.map(({ key }) => ({ offer: key, ...reason }));
  });
  const unexplained = pools.map(({ key }) => {
    const message = `CreateFleet: the fleet delivered fewer machines in ${key} and gave no reason. Error Code: ${unfulfillable}`;
    return { offer: key, kind: 'capacity' as const, code: unfulfillable, message };
  });
  const others = untried.slice(0, 1).map(({ ErrorMessage = '' }): Shortfall => {
    const text = `The fleet ended before it tried all pools; the others come next. ${ErrorMessage}`;
    return { ...reasonFor(unfulfillable, text, 'CreateFleet'), lack: 'untried' };
  });
  return [
    ...others,
    ...new Map((found.length > 0 ? found : unexplained).map((each) => [`${each.offer} ${each.code}`, each])).values(),
  ];
}
