import type { CapacityReservationSpecification } from '@aws-sdk/client-ec2';
import type { Finding } from '../../../core/index.ts';
import type { CloudTemplate } from './fields.ts';
import { marketsOf } from '../launch/pools.ts';

/**
 * The reservation of a template in the names that RunInstances and launch templates share; undefined where it says
 * nothing.
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

/** Whether an instant fleet is told to look for open reservations before anything else. */
export const usesReservationsFirst = ({ capacity_reservation: given }: CloudTemplate): boolean =>
  given?.preference === 'open' && given.id === undefined && given.resource_group_arn === undefined;

/**
 * What EC2 would refuse of a reservation: it takes one option at a time, and reservations are of on-demand machines.
 */
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
      message: 'must have one of preference, id and resource_group_arn, and only one',
    });
  if (marketsOf(template).includes('spot') && given.preference !== 'none')
    findings.push({ level: 'error', path, message: 'is for on-demand machines only; price_type asks for Spot' });
  return findings;
}
