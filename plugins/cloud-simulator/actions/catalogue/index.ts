import type { Action } from '../../action.ts';
import { describeAvailabilityZones } from './describe-availability-zones.ts';
import { describeImages } from './describe-images.ts';
import { describeInstanceTypes } from './describe-instance-types.ts';
import { describeKeyPairs } from './describe-key-pairs.ts';
import { describeRegions } from './describe-regions.ts';
import { describeSecurityGroups } from './describe-security-groups.ts';
import { describeSubnets } from './describe-subnets.ts';

export const catalogueActions: readonly Action[] = [
  describeAvailabilityZones,
  describeImages,
  describeInstanceTypes,
  describeKeyPairs,
  describeRegions,
  describeSecurityGroups,
  describeSubnets,
];
