import type { TargetCapacitySpecificationRequest } from '@aws-sdk/client-ec2';
import { marketFacts, marketNames, type Target } from '../cloud/index.ts';

/**
 * A target as EC2 Fleet takes it. Units of a market that has a parameter of its own are named by the parameter, also
 * when they are zero: the default type would get the rest. A market without a parameter has the whole target.
 */
export function targetParameters({ total, units }: Target): TargetCapacitySpecificationRequest {
  const alone = marketNames.some((market) => units[market] > 0 && marketFacts(market).target_field === undefined);
  const named = marketNames.flatMap((market) => {
    const { target_field } = marketFacts(market);
    return alone || target_field === undefined ? [] : [[target_field, units[market]] as const];
  });
  return { TotalTargetCapacity: total, ...Object.fromEntries(named) };
}
