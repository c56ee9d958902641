import type { CallContext } from '../../state/call-context.ts';
import type { GroupConfig, LaunchSource, TemplateName } from '../../state/groups.ts';
import { noTags } from '../../state/tags.ts';
import { AwsError } from '../../wire/errors.ts';
import { type Params, part, text } from '../../wire/form.ts';
import { decimal, integer, oneOf } from '../../wire/values.ts';
import { findTemplate, findVersion } from '../../launch/specification/template-data.ts';
import { onDemandPart, readDistribution } from './market-shares.ts';
import { placesOf } from './places.ts';
import { validationError } from '../refusals.ts';
import { overridesOf, readTemplateName, groupPoolsAt } from './group-pools.ts';

const maxOverrides = 40;
const onDemandStrategies = ['lowest-price', 'prioritized'];
const spotStrategies = [
  'lowest-price',
  'capacity-optimized',
  'capacity-optimized-prioritized',
  'price-capacity-optimized',
];

/** Reads `LaunchTemplate` or `MixedInstancesPolicy`; parts of the policy that an update omits do not change. */
export function readSource(context: CallContext, params: Params, old: LaunchSource | undefined): LaunchSource {
  const template = part(params, 'LaunchTemplate');
  const policy = part(params, 'MixedInstancesPolicy');
  if (template !== undefined && policy !== undefined)
    throw validationError(
      'Valid requests must contain either LaunchTemplate, LaunchConfigurationName, InstanceId or MixedInstancesPolicy parameter.',
    );
  if (template !== undefined) return { template: named(context, template), policy: undefined };
  if (policy !== undefined) return readPolicy(context, merged(policy, old?.policy));
  if (old !== undefined) return old;
  throw validationError(
    'Valid requests must contain either LaunchTemplate, LaunchConfigurationName, InstanceId or MixedInstancesPolicy parameter.',
  );
}

/** Throws if launches of the group would be refused regardless of capacity. */
export function checkSource(context: CallContext, config: GroupConfig): void {
  const { policy, template } = config.source;
  if (policy !== undefined && namesMarket(context, template)) {
    throw validationError(
      'Incompatible launch template: a template with InstanceMarketOptions cannot be used with a mixed instances policy.',
    );
  }
  const distribution = readDistribution(policy);
  const spotOnly = policy !== undefined && onDemandPart(distribution, 1) === 0;
  const spotToo = policy !== undefined && distribution.percentage < 100;
  const markets =
    policy === undefined
      ? [undefined]
      : [...(spotOnly ? [] : ['on-demand' as const]), ...(spotToo ? ['spot' as const] : [])];
  for (const place of placesOf(context, config)) {
    for (const market of markets) {
      const [refusal] = groupPoolsAt(context, config, noTags, place, market).refusals;
      if (refusal !== undefined) throw malformed(refusal);
    }
  }
}

function named(context: CallContext, params: Params): TemplateName {
  try {
    const name = readTemplateName(context, params);
    findVersion(context, findTemplate(context, { LaunchTemplateId: name.id }), name.version);
    return name;
  } catch (error) {
    throw error instanceof AwsError ? malformed(error) : error;
  }
}

function malformed(error: AwsError): AwsError {
  return validationError(`You must use a valid fully-formed launch template. ${error.message}`);
}

function namesMarket(context: CallContext, { id, version }: TemplateName): boolean {
  const { data } = findVersion(context, findTemplate(context, { LaunchTemplateId: id }), version);
  return text(part(data, 'InstanceMarketOptions'), 'MarketType') !== undefined;
}

function merged(policy: Params, old: Params | undefined): Params {
  const both = (name: string): Params => {
    const parts = { ...part(old, name), ...part(policy, name) };
    return Object.keys(parts).length === 0 ? {} : { [name]: parts };
  };
  return { ...both('LaunchTemplate'), ...both('InstancesDistribution') };
}

function readPolicy(context: CallContext, policy: Params): LaunchSource {
  const specification = part(part(policy, 'LaunchTemplate'), 'LaunchTemplateSpecification');
  if (specification === undefined)
    throw validationError('A mixed instances policy needs a LaunchTemplate with a LaunchTemplateSpecification.');
  const source = { template: named(context, specification), policy };
  checkDistribution(part(policy, 'InstancesDistribution'));
  checkOverrides(context, overridesOf({ source }));
  return source;
}

function checkDistribution(distribution: Params | undefined): void {
  oneOf(distribution, 'OnDemandAllocationStrategy', onDemandStrategies);
  const strategy = oneOf(distribution, 'SpotAllocationStrategy', spotStrategies) ?? 'lowest-price';
  const base = integer(distribution, 'OnDemandBaseCapacity') ?? 0;
  const percentage = integer(distribution, 'OnDemandPercentageAboveBaseCapacity') ?? 100;
  const pools = integer(distribution, 'SpotInstancePools');
  if (base < 0) throw validationError('OnDemandBaseCapacity must not be negative.');
  if (percentage < 0 || percentage > 100)
    throw validationError('OnDemandPercentageAboveBaseCapacity must be between 0 and 100.');
  if (pools !== undefined && (pools < 1 || pools > 20))
    throw validationError('SpotInstancePools must be between 1 and 20.');
  if (pools !== undefined && strategy !== 'lowest-price')
    throw validationError('SpotInstancePools can only be used with the lowest-price strategy.');
  if (text(distribution, 'SpotMaxPrice')) decimal(distribution, 'SpotMaxPrice');
}

function checkOverrides(context: CallContext, overrides: readonly Params[]): void {
  if (overrides.length > maxOverrides)
    throw validationError(`A mixed instances policy can have at most ${maxOverrides} overrides.`);
  const weights = overrides.map((override) => text(override, 'WeightedCapacity'));
  if (weights.some((weight) => weight !== undefined && !/^[1-9]\d{0,2}$/.test(weight)))
    throw validationError('WeightedCapacity must be a whole number between 1 and 999.');
  if (new Set(weights.map((weight) => weight === undefined)).size > 1)
    throw validationError('WeightedCapacity must be specified for all instance types or for none.');
  for (const override of overrides) {
    if (text(override, 'InstanceType') !== undefined && part(override, 'InstanceRequirements') !== undefined)
      throw validationError('InstanceType and InstanceRequirements cannot be specified in the same override.');
    const own = part(override, 'LaunchTemplateSpecification');
    if (own !== undefined) named(context, own);
  }
  const types = overrides.flatMap((override) => text(override, 'InstanceType') ?? []);
  if (new Set(types).size < types.length) throw validationError('An instance type can be in one override only.');
}
