import type { Call, LaunchOrder } from '../../core/index.ts';
import {
  camelCased,
  configsWith,
  joinTagSpecifications,
  nativeUnit,
  onePerZone,
  overlay,
  overridesOf,
  ownOrderTemplate,
  planFor,
  poolsCountOf,
  poolsOf,
  standingParts,
  strategiesOf,
  tagsOf,
  tagSpecifications,
  weightsIn,
  type CloudSession,
  type CloudTemplate,
  type Pool,
  type StandingPrepared,
} from '../cloud/index.ts';

/** The launch template and the SpotFleetRequestConfig for an order. */
export async function spotFleetParameters(
  session: CloudSession,
  order: LaunchOrder<any>,
  call: Call,
): Promise<StandingPrepared> {
  const template = order.template as CloudTemplate;
  const { fleet_type = 'request', fleet_role, spot_fleet_request_expiry } = template as SpotFleetTemplate;
  const configs = nativeOf(template)?.['LaunchTemplateConfigs'];
  const all = (order.offers ?? poolsOf(template)) as readonly Pool[];
  // Overrides of a native specification are sent as they are.
  const { pools: offered, left_out } = Array.isArray(configs)
    ? { pools: all, left_out: [] }
    : await onePerZone(session, all, call);
  const { target, pools, unit } = planFor(template, offered, order.machine_count, nativeUnit(configs));
  const onDemandUnits = target.units['on-demand'];
  const role = await roleArn(session, fleet_role ?? session.settings.service_role_spot_fleet, call);
  const used = await ownOrderTemplate(session, order, call, { taggable: standingParts });
  const { spot, onDemand } = strategiesOf(template);
  const poolsCount = poolsCountOf(template);
  const built = {
    IamFleetRole: role,
    AllocationStrategy: camelCased(spot),
    ...(poolsCount === undefined ? {} : { InstancePoolsToUseCount: poolsCount }),
    ...(onDemandUnits > 0 ? { OnDemandAllocationStrategy: camelCased(onDemand) } : {}),
    LaunchTemplateConfigs: [
      {
        LaunchTemplateSpecification: { LaunchTemplateId: used.id, Version: used.version },
        Overrides: overridesOf(template, pools, 'SpotPrice'),
      },
    ],
    ...(spot_fleet_request_expiry === undefined
      ? {}
      : { ValidUntil: minutesFrom(session.cloudClock.now(), spot_fleet_request_expiry) }),
  };
  const native = overlay(built, nativeOf(template));
  const input = {
    ...native,
    LaunchTemplateConfigs: configsWith(native['LaunchTemplateConfigs'], used, true),
    // muster sets the type, the count, the token and the tags itself: machines are counted and found by them.
    Type: fleet_type,
    TargetCapacity: target.total,
    OnDemandTargetCapacity: onDemandUnits,
    // The fleet terminates no machine when it ends or when its target is lowered.
    TerminateInstancesWithExpiration: false,
    ...(fleet_type === 'maintain' ? { ExcessCapacityTerminationPolicy: 'noTermination' } : {}),
    // The SDK creates no token for this call. Without a token a repeated call would create a second fleet.
    ClientToken: order.token,
    TagSpecifications: joinTagSpecifications(
      native['TagSpecifications'],
      tagSpecifications(['spot-fleet-request'], tagsOf(order, session.installation)),
    ),
  };
  return {
    fleet_type,
    input,
    template: used,
    pools,
    ...(left_out.length > 0 ? { left_out } : {}),
    target: target.total,
    target_on_demand: onDemandUnits,
    unit,
    weights: weightsIn(native['LaunchTemplateConfigs']),
  };
}

interface SpotFleetTemplate {
  readonly fleet_type?: 'request' | 'maintain';
  readonly fleet_role?: string;
  readonly spot_fleet_request_expiry?: number;
}

/**
 * The native parameters. The call takes all of them inside SpotFleetRequestConfig, which a template may name or omit.
 */
function nativeOf({ provider_api_spec: spec }: CloudTemplate): Record<string, unknown> | undefined {
  return (spec?.['SpotFleetRequestConfig'] as Record<string, unknown> | undefined) ?? spec;
}

/** A time in whole seconds, as the API takes it. */
const minutesFrom = (now: number, minutes: number): string =>
  `${new Date(now + minutes * 60_000).toISOString().slice(0, 19)}Z`;

/** The ARN of a role, from its name or its ARN. A service-linked role has the path of its service. */
async function roleArn(session: CloudSession, role: string, call: Call): Promise<string> {
  if (role.startsWith('arn:')) return role;
  const path = role.startsWith('AWSServiceRole') ? 'aws-service-role/spotfleet.amazonaws.com/' : '';
  return `arn:${await session.partition(call)}:iam::${await session.account(call)}:role/${path}${role}`;
}
