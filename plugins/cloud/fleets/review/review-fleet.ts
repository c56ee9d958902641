import type { Finding } from '../../../../core/index.ts';
import { regions } from '../../catalogue/index.ts';
import type { CloudTemplate } from '../../template/fields.ts';
import { marketFacts } from '../../launch/markets.ts';
import { marketsOf } from '../../launch/pools.ts';
import { reviewForm } from '../../review/native/review-form.ts';
import { shapeFindings } from '../../review/native/shape.ts';
import { fleetShape } from '../../review/native/shapes.ts';
import { reviewCommon } from '../../review/review.ts';
import { reviewOverridden } from '../../review/review-native.ts';
import { reviewRequirements } from '../../review/review-requirements.ts';
import { standingParts } from '../../launch/order-template.ts';
import { isStanding } from '../fleet-port.ts';
import { reviewChoice } from './review-choice.ts';
import { namedIn, nativeFleet, reviewFleetOptions, reviewPools } from './review-native-fleet.ts';
import { onDemandStrategies, onDemandStrategy, spotStrategies, spotStrategy } from '../strategies.ts';

/** The properties of a fleet API that the review needs. */
export interface FleetApi {
  /** Types of fleets. The first is the default. */
  readonly types: readonly string[];
  /** Template fields that only this API has. */
  readonly knows?: readonly string[];
  /** Native parameters that muster overrides. */
  readonly overridden: readonly string[];
  /** The resource type that the call tags for a standing fleet. */
  readonly tagged: string;
  /** The parameter of the call that contains all others. A template may name or omit it. */
  readonly within?: string;
}

/** The zones of the region that has the most. */
const mostZones = Math.max(...[...regions.values()].map(({ zones }) => zones.length));

/** Reports what neither EC2 Fleet nor Spot Fleet can honor. */
export function reviewFleet(
  template: CloudTemplate,
  { types, knows = [], overridden, tagged, within }: FleetApi,
): Finding[] {
  const bare = reviewForm(template, { fields: {} });
  if (bare.length > 0) return bare;
  const fleet = nativeFleet(template, within);
  const form = shapeFindings(fleetShape, fleet.native, fleet.path);
  if (form.length > 0) return form;
  const { native } = fleet;
  const fleetType = template['fleet_type'] ?? types[0];
  const standing = isStanding(fleetType);
  const findings = [
    ...reviewCommon(template, { names: namedIn(fleet), knows }),
    ...reviewRequirements(template),
    ...reviewChoice(template),
    ...reviewPools(fleet, standing),
    ...reviewFleetOptions(fleet, standing, tagged),
    ...reviewOverridden(native, overridden, fleet.path),
  ];
  const error = (path: string, message: string) => findings.push({ level: 'error', path, message });

  if (!types.includes(String(fleetType)))
    error('/fleet_type', `must be one of ${types.join(', ')}, not '${String(fleetType)}'`);
  if (standing && marketsOf(template).some((market) => marketFacts(market).in_template))
    error('/price_type', `cannot be ${template.price_type} with fleets of type ${fleetType}: only instant fleets can`);
  if (template['replace_lost'] === true && fleetType !== 'maintain')
    findings.push({
      level: 'warning',
      path: '/replace_lost',
      message: 'has no effect; only fleets of type maintain replace lost machines',
    });
  const { allocation_strategy, allocation_strategy_on_demand } = template;
  if (
    allocation_strategy !== undefined &&
    marketsOf(template).includes('spot') &&
    spotStrategy(allocation_strategy) === undefined
  ) {
    error('/allocation_strategy', `must be one of ${spotStrategies.join(', ')}`);
  }
  if (allocation_strategy_on_demand !== undefined && onDemandStrategy(allocation_strategy_on_demand) === undefined) {
    error('/allocation_strategy_on_demand', `must be one of ${onDemandStrategies.join(', ')}`);
  }
  const capacity = (native['TargetCapacitySpecification'] ?? native) as { readonly TargetCapacityUnitType?: unknown };
  if (capacity.TargetCapacityUnitType !== undefined && capacity.TargetCapacityUnitType !== 'units')
    error('/provider_api_spec', 'must count capacity in units: machine_count is a number of machines');
  const subnets = new Set(template.subnet_ids).size;
  if (subnets > mostZones)
    findings.push({
      level: 'warning',
      path: '/subnet_ids',
      message: `are ${subnets}, and no region has more than ${mostZones} zones; an order of a fleet uses one subnet of each zone, the one with the most free addresses first, and later orders use the others`,
    });
  const untaggable = standing ? typesTagged(template).filter((type) => !standingParts.includes(type)) : [];
  if (untaggable.length > 0)
    findings.push({
      level: 'warning',
      path: '/launch_template_spec/TagSpecifications',
      message: `of ${untaggable.join(', ')} are left out; a fleet of this type may tag ${standingParts.join(' and ')} only`,
    });
  if (standing && template.launch_template_spec?.['InstanceMarketOptions'] !== undefined)
    error(
      '/launch_template_spec/InstanceMarketOptions',
      'cannot be in the launch template of a fleet; set the market with price_type',
    );
  return findings;
}

function typesTagged({ launch_template_spec: spec }: CloudTemplate): string[] {
  const tags = (spec?.['TagSpecifications'] ?? []) as readonly { readonly ResourceType?: string | null }[];
  return tags.flatMap(({ ResourceType }) => ResourceType ?? []);
}
