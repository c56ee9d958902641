import type { Finding } from '../../../../core/index.ts';
import type { CloudTemplate } from '../../template/fields.ts';
import { marketsOf } from '../../launch/pools.ts';
import { reviewForm } from '../../review/native/review-form.ts';
import { unlike } from '../../review/native/shape.ts';
import { fleetShape } from '../../review/native/shapes.ts';
import { reviewCommon } from '../../review/review.ts';
import { reviewOverruled } from '../../review/review-native.ts';
import { reviewRequirements } from '../../review/review-requirements.ts';
import { isStanding } from '../fleet-port.ts';
import { reviewChoice } from './review-choice.ts';
import { namedIn, nativeFleet, reviewFleetOptions, reviewPools } from './review-native-fleet.ts';
import { onDemandStrategies, onDemandStrategy, spotStrategies, spotStrategy } from '../strategies.ts';

/** How an API makes fleets. */
export interface FleetApi {
  /** Types of fleet that it has; the first is taken where a template names none. */
  readonly types: readonly string[];
  /** Fields of its own. */
  readonly knows?: readonly string[];
  /** Native parameters that muster sets itself. */
  readonly overruled: readonly string[];
  /** What its call tags of a fleet that stands. */
  readonly tagged: string;
  /** The parameter of the call in which all others lie; a template may name it or leave it out. */
  readonly within?: string;
}

/** What neither EC2 Fleet nor Spot Fleet can honour. */
export function reviewFleet(
  template: CloudTemplate,
  { types, knows = [], overruled, tagged, within }: FleetApi,
): Finding[] {
  const bare = reviewForm(template, { fields: {} });
  if (bare.length > 0) return bare;
  const fleet = nativeFleet(template, within);
  const form = unlike(fleetShape, fleet.native, fleet.path);
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
    ...reviewOverruled(native, overruled, fleet.path),
  ];
  const error = (path: string, message: string) => findings.push({ level: 'error', path, message });

  if (!types.includes(String(fleetType)))
    error('/fleet_type', `'${String(fleetType)}' is not served; ${types.join(', ')} are`);
  if (template['replace_lost'] === true && fleetType !== 'maintain')
    findings.push({
      level: 'warning',
      path: '/replace_lost',
      message: 'has no effect; only fleets of type maintain replace what is lost',
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
    error('/provider_api_spec', 'must not count capacity otherwise than in units: machine_count means machines');
  if (standing && template.launch_template_spec?.['InstanceMarketOptions'] !== undefined)
    error(
      '/launch_template_spec/InstanceMarketOptions',
      'cannot stand in the launch template of a fleet; price_type says the market',
    );
  return findings;
}
