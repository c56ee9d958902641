import type { Call, LaunchOrder } from '../../core/index.ts';
import {
  configsWith,
  isStanding,
  joinTagSpecifications,
  marketFacts,
  marketNames,
  nativeUnit,
  onePerZone,
  overlay,
  overridesOf,
  ownOrderTemplate,
  planFor,
  poolsCountOf,
  poolsOf,
  sharedOrderTemplate,
  standingParts,
  strategiesOf,
  tagsOf,
  tagSpecifications,
  usesReservationsFirst,
  weightsIn,
  type CloudSession,
  type CloudTemplate,
  type Pool,
  type Target,
} from '../cloud/index.ts';
import type { Prepared } from './fleet-type.ts';
import { targetParameters } from './target-parameters.ts';

/**
 * Parameters that a standing fleet always has, whatever a native specification contains: the fleet never terminates a
 * machine by itself.
 */
const noTermination: Readonly<Record<string, object>> = {
  request: { TerminateInstancesWithExpiration: false },
  maintain: { TerminateInstancesWithExpiration: false, ExcessCapacityTerminationPolicy: 'no-termination' },
};

/** The launch template and the parameters of CreateFleet for an order. */
export async function fleetParameters(
  session: CloudSession,
  order: LaunchOrder<any>,
  fleet_type: string,
  call: Call,
): Promise<Prepared> {
  const template = order.template as CloudTemplate;
  const configs = template.provider_api_spec?.['LaunchTemplateConfigs'];
  const all = (order.offers ?? poolsOf(template)) as readonly Pool[];
  // Overrides of a native specification are sent as they are.
  const { pools: offered, left_out } = Array.isArray(configs)
    ? { pools: all, left_out: [] }
    : await onePerZone(session, all, call);
  const { target, pools, unit } = planFor(template, offered, order.machine_count, nativeUnit(configs));
  const standing = isStanding(fleet_type);
  const { used, parts } = standing
    ? { used: await ownOrderTemplate(session, order, call, { taggable: standingParts }), parts: [] }
    : await sharedOrderTemplate(session, order, call);
  const built = {
    LaunchTemplateConfigs: [
      {
        LaunchTemplateSpecification: { LaunchTemplateId: used.id, Version: used.version },
        Overrides: overridesOf(template, pools, 'MaxPrice'),
      },
    ],
    ...marketOptions(template, target, fleet_type),
  };
  const native = overlay(built, template.provider_api_spec);
  // The call that creates an instant fleet tags its machines. Machines of other fleets are tagged by their launch
  // template alone.
  const tagged = ['fleet', ...parts];
  const input = {
    ...native,
    LaunchTemplateConfigs: configsWith(native['LaunchTemplateConfigs'], used, standing),
    // muster sets the type, the count, the token and the tags itself: machines are counted and found by them.
    Type: fleet_type,
    ...noTermination[fleet_type],
    TargetCapacitySpecification: {
      ...(native['TargetCapacitySpecification'] as object | undefined),
      ...targetParameters(target),
      DefaultTargetCapacityType: defaultType(target),
    },
    ClientToken: order.token,
    TagSpecifications: joinTagSpecifications(
      native['TagSpecifications'],
      tagSpecifications(tagged, tagsOf(order, session.installation)),
    ),
  };
  return {
    fleet_type,
    input,
    template: used,
    pools,
    ...(left_out.length > 0 ? { left_out } : {}),
    target: target.total,
    target_on_demand: target.units['on-demand'],
    unit,
    weights: weightsIn(input.LaunchTemplateConfigs),
  };
}

/** The type of units that no parameter assigns to a market: Spot where the fleet has Spot units. */
function defaultType({ units }: Target): string {
  const [first = 'on-demand'] = marketNames.filter((market) => market !== 'on-demand' && units[market] > 0);
  return marketFacts(first).default_type;
}

function marketOptions(template: CloudTemplate, target: Target, fleet_type: string): object {
  const { spot, onDemand } = strategiesOf(template);
  const poolsCount = poolsCountOf(template);
  // Only instant fleets take this option. The launch template gives the preference to the others.
  const reserved =
    fleet_type === 'instant' && usesReservationsFirst(template)
      ? { CapacityReservationOptions: { UsageStrategy: 'use-capacity-reservations-first' } }
      : {};
  return {
    ...(target.units.spot > 0
      ? {
          SpotOptions: {
            AllocationStrategy: spot,
            ...(poolsCount === undefined ? {} : { InstancePoolsToUseCount: poolsCount }),
          },
        }
      : {}),
    ...(target.units['on-demand'] > 0 ? { OnDemandOptions: { AllocationStrategy: onDemand, ...reserved } } : {}),
  };
}
