import type {
  CreateFleetError,
  CreateFleetInstance,
  DescribeFleetError,
  DescribeFleetsInstances,
} from '@aws-sdk/client-ec2';
import type { MachineReport, Shortfall } from '../../core/index.ts';
import { kindOfReason, poolsSeen, type Market, type Pool } from '../cloud/index.ts';
import type { Prepared } from './fleet-type.ts';

/** Machines and errors as CreateFleet and DescribeFleets give them, side by side. */
export interface FleetAnswer {
  readonly instances: readonly (CreateFleetInstance | DescribeFleetsInstances)[];
  readonly errors: readonly (CreateFleetError | DescribeFleetError)[];
}

/** Machines as the fleet names them: no more than that they were started. */
export function startedMachines(answer: FleetAnswer, weights: Prepared['weights']): MachineReport[] {
  return answer.instances.flatMap(({ InstanceIds, InstanceType, Lifecycle, LaunchTemplateAndOverrides }) => {
    const { AvailabilityZone, SubnetId } = LaunchTemplateAndOverrides?.Overrides ?? {};
    const place = AvailabilityZone ? { zone: AvailabilityZone } : {};
    const data = {
      market: marketNamed(Lifecycle) ?? 'on-demand',
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

/** Units of capacity that machines come to. */
export const unitsOf = (machines: readonly MachineReport[]): number =>
  machines.reduce((sum, machine) => sum + ((machine.data as { weight?: number } | undefined)?.weight ?? 1), 0);

/**
 * Why pools gave less. A fleet's error names its pool as far as the override did, and says nothing of how many
 * machines it cost. A fleet that is short and gives no reason had no capacity in the pools that it was to draw on. /
 */
export function fleetShortfall(answer: FleetAnswer, pools: readonly Pool[]): Shortfall[] {
  const found = answer.errors.flatMap((error): Shortfall[] => {
    const code = error.ErrorCode ?? 'Unknown';
    const said = (error.ErrorMessage ?? 'The cloud gave no reason').replace(/[.\s]+$/, '');
    const reason = { kind: kindOfReason(code, said), code, message: `CreateFleet: ${said}. Error Code: ${code}` };
    const { InstanceType, SubnetId } = error.LaunchTemplateAndOverrides?.Overrides ?? {};
    const market = marketNamed(error.Lifecycle);
    if (InstanceType === undefined && SubnetId === undefined && market === undefined) return [reason];
    const named = poolsSeen(pools, { machine_type: InstanceType, subnet_id: SubnetId, market });
    // A native specification may draw on pools that the template does not name: what it is refused is told all the
    // same.
    return named.length === 0 ? [reason] : named.map(({ key }) => ({ offer: key, ...reason }));
  });
  const unexplained = pools.map(({ key }) => {
    const message = `CreateFleet: the fleet came short in ${key} and gave no reason. Error Code: UnfulfillableCapacity`;
    return { offer: key, kind: 'capacity' as const, code: 'UnfulfillableCapacity', message };
  });
  return [
    ...new Map((found.length > 0 ? found : unexplained).map((each) => [`${each.offer} ${each.code}`, each])).values(),
  ];
}

const marketNamed = (lifecycle: string | undefined): Market | undefined =>
  lifecycle === 'spot' ? 'spot' : lifecycle === undefined ? undefined : 'on-demand';
