import type { Call, LaunchOrder } from '../../core/index.ts';
import {
  configsWith,
  isStanding,
  joinTagSpecifications,
  nativeUnit,
  onePerZone,
  overlay,
  overridesOf,
  ownOrderTemplate,
  poolsFor,
  poolsOf,
  sharedOrderTemplate,
  standingParts,
  strategiesOf,
  tagsOf,
  tagSpecifications,
  targetFor,
  unitOf,
  usesReservationsFirst,
  weightsIn,
  type CloudSession,
  type CloudTemplate,
  type Pool,
  type Target,
} from '../cloud/index.ts';
import type { Prepared } from './fleet-type.ts';

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
  const unit = nativeUnit(configs) ?? unitOf(template, offered);
  const target = targetFor(template, offered, order.machine_count, unit);
  const pools = poolsFor(target, offered);
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
      TotalTargetCapacity: target.total,
      OnDemandTargetCapacity: target.onDemand,
      SpotTargetCapacity: target.spot,
      DefaultTargetCapacityType: target.spot > 0 ? 'spot' : 'on-demand',
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
    target_on_demand: target.onDemand,
    unit,
    weights: weightsIn(input.LaunchTemplateConfigs),
  };
}

function marketOptions(template: CloudTemplate, target: Target, fleet_type: string): object {
  const { spot, onDemand } = strategiesOf(template);
  // Only instant fleets take this option. The launch template gives the preference to the others.
  const reserved =
    fleet_type === 'instant' && usesReservationsFirst(template)
      ? { CapacityReservationOptions: { UsageStrategy: 'use-capacity-reservations-first' } }
      : {};
  return {
    ...(target.spot > 0 ? { SpotOptions: { AllocationStrategy: spot } } : {}),
    ...(target.onDemand > 0 ? { OnDemandOptions: { AllocationStrategy: onDemand, ...reserved } } : {}),
  };
}
