import type { Action } from '../../dispatch/action.ts';
import { describeAvailabilityZones } from './describe-availability-zones.ts';
import { describeImages } from './describe-images.ts';
import { describeInstanceTypeOfferings } from './describe-instance-type-offerings.ts';
import { describeInstanceTypes } from './describe-instance-types.ts';
import { describeKeyPairs } from './describe-key-pairs.ts';
import { describeRegions } from './describe-regions.ts';
import { describeSecurityGroups } from './describe-security-groups.ts';
import { describeSpotPriceHistory } from './describe-spot-price-history.ts';
import { describeSubnets } from './describe-subnets.ts';
import { describeVpcs } from './describe-vpcs.ts';
import { getInstanceTypesFromInstanceRequirements } from './get-instance-types-from-instance-requirements.ts';

export const catalogueActions: readonly Action[] = [
  describeAvailabilityZones,
  describeImages,
  describeInstanceTypeOfferings,
  describeInstanceTypes,
  describeKeyPairs,
  describeRegions,
  describeSecurityGroups,
  describeSpotPriceHistory,
  describeSubnets,
  describeVpcs,
  getInstanceTypesFromInstanceRequirements,
];
