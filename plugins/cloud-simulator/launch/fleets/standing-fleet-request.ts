import type { ActionCall } from '../../dispatch/action.ts';
import type { ExcessPolicy, FleetRequest } from '../../state/fleets/standing-fleet.ts';
import { noTags, readTagSpecifications, type Tags } from '../../state/tags.ts';
import { invalidCombination } from '../../wire/errors.ts';
import { type Params, parts } from '../../wire/form.ts';
import { flag, oneOf } from '../../wire/values.ts';
import { checkUnits, notTaggable, readTemplatePools } from './fleet-pools.ts';
import { readMarketOptions, readTarget, refuseInstantOptions } from './fleet-request.ts';
import { readValidity } from './fleet-validity.ts';

const echoed = ['LaunchTemplateConfigs', 'OnDemandOptions', 'SpotOptions'];

/** Reads the request of CreateFleet for a fleet of type request or maintain. */
export function readStandingFleet(call: ActionCall, type: 'request' | 'maintain'): FleetRequest {
  const { params } = call;
  refuseInstantOptions(params);
  // Only a fleet whose target can be raised later may start with a target of 0.
  const target = readTarget(params, type === 'maintain' ? 0 : 1);
  if (target.defaultType === 'capacity-block')
    throw invalidCombination('Only fleets of type instant support capacity-block capacity.');
  const pools = readTemplatePools(call, parts(params, 'LaunchTemplateConfigs'), { instant: false });
  checkUnits(target, pools);
  const replaceUnhealthy = flag(params, 'ReplaceUnhealthyInstances') ?? false;
  if (replaceUnhealthy && type !== 'maintain')
    throw invalidCombination('ReplaceUnhealthyInstances is supported only for fleets of type maintain.');
  return {
    kind: 'ec2',
    type,
    token: call.token,
    target,
    pools,
    markets: readMarketOptions(params, target),
    excess: readExcess(params),
    ...readValidity(params, call.now),
    endsWithExpiry: flag(params, 'TerminateInstancesWithExpiration') ?? false,
    replaceUnhealthy,
    maxPrice: undefined,
    tags: ownTags(params, 'fleet'),
    echo: Object.fromEntries(Object.entries(params).filter(([name]) => echoed.includes(name))),
  };
}

/** Reads the excess policy of an EC2 fleet. AWS's default ends machines, also in ModifyFleet. */
export function readExcess(params: Params): ExcessPolicy {
  return oneOf(params, 'ExcessCapacityTerminationPolicy', ['termination', 'no-termination']) ?? 'termination';
}

/** The tags of a standing fleet. Only its templates can tag its machines. */
export function ownTags(params: Params, type: string): Tags {
  const byType = readTagSpecifications(params);
  const wrong = [...byType.keys()].find((one) => one !== type);
  if (wrong !== undefined) throw notTaggable(wrong);
  return byType.get(type) ?? noTags;
}
