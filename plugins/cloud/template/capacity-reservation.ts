import type { CapacityReservationSpecification } from '@aws-sdk/client-ec2';
import type { Finding } from '../../../core/index.ts';
import type { CloudTemplate } from './fields.ts';
import { marketsOf } from '../launch/pools.ts';

/**
 * The capacity reservation in the parameters that RunInstances and launch templates share; undefined when the template
 * names none.
 */
export function capacityReservationOf({
  capacity_reservation,
}: CloudTemplate): CapacityReservationSpecification | undefined {
  const { preference, id, resource_group_arn } = capacity_reservation ?? {};
  if (id !== undefined) return { CapacityReservationTarget: { CapacityReservationId: id } };
  if (resource_group_arn !== undefined)
    return { CapacityReservationTarget: { CapacityReservationResourceGroupArn: resource_group_arn } };
  return preference === undefined ? undefined : { CapacityReservationPreference: preference };
}

/** Whether an instant fleet uses open reservations first. */
export const usesReservationsFirst = ({ capacity_reservation: given }: CloudTemplate): boolean =>
  given?.preference === 'open' && given.id === undefined && given.resource_group_arn === undefined;

/** Reports what EC2 would refuse for a reservation: it accepts one option, and only for on-demand machines. */
export function reviewReservation(template: CloudTemplate): Finding[] {
  const given = template.capacity_reservation;
  if (given === undefined) return [];
  const path = '/capacity_reservation';
  const named = (['preference', 'id', 'resource_group_arn'] as const).filter((each) => given[each] !== undefined);
  const findings: Finding[] = [];
  if (named.length !== 1)
    findings.push({
      level: 'error',
      path,
      message: 'must have exactly one of preference, id and resource_group_arn',
    });
  if (marketsOf(template).includes('spot') && given.preference !== 'none')
    findings.push({ level: 'error', path, message: 'is for on-demand machines only; price_type asks for Spot' });
  return findings;
}
