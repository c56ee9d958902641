import type { ActionCall } from '../action.ts';
import { AwsError, invalidParameter, missingParameter } from '../wire/errors.ts';
import { type Params, part, parts, text } from '../wire/form.ts';
import { itemSet, leaf, node } from '../wire/xml.ts';
import { decimal } from '../wire/values.ts';
import { findTemplate, findVersion } from './template-data.ts';

/** One way in which a fleet may get machines: a template with one of its overrides. */
export interface FleetPool {
  /** Parameters over the template's, in the names of RunInstances. */
  readonly params: Params;
  readonly template: Params;
  /** Units that one machine counts. */
  readonly weight: number;
  /** Lower is preferred; pools without come last. */
  readonly priority: number;
  /** `<launchTemplateAndOverrides>`: it says no more of the pool than the override did. */
  readonly xml: string;
}

const maxConfigs = 50;
const maxOverrides = 300;

/** Reads `LaunchTemplateConfigs`: one pool for each override, or one for a template without overrides. */
export function readFleetPools(call: ActionCall): FleetPool[] {
  const configs = parts(call.params, 'LaunchTemplateConfigs');
  if (configs.length === 0) throw missingParameter('LaunchTemplateConfigs');
  if (configs.length > maxConfigs) throw invalidParameter(`A fleet can have at most ${maxConfigs} launch template configurations.`);
  const tags = call.params['TagSpecification'];
  const pools = configs.flatMap((config) => poolsOf(call, config, typeof tags === 'object' ? machineTags(tags) : {}));
  if (pools.length > maxOverrides) throw invalidParameter(`A fleet can have at most ${maxOverrides} overrides.`);
  return pools;
}

/** `<launchTemplateConfigs>` as DescribeFleets echoes them. */
export function configsXml(call: ActionCall): string {
  return itemSet(
    'launchTemplateConfigs',
    parts(call.params, 'LaunchTemplateConfigs'),
    (config) => specificationXml(resolve(call, config)) + itemSet('overrides', parts(config, 'Overrides'), overrideXml),
  );
}

interface Resolved {
  readonly id: string;
  readonly version: string;
  readonly data: Params;
}

function resolve(call: ActionCall, config: Params): Resolved {
  const named = part(config, 'LaunchTemplateSpecification');
  if (named === undefined) throw missingParameter('LaunchTemplateConfigs.LaunchTemplateSpecification');
  const version = text(named, 'Version');
  if (version === undefined || version === '') throw missingParameter('LaunchTemplateSpecification.Version');
  const template = findTemplate(call.state, named);
  const found = findVersion(template, version);
  return { id: template.id, version: String(found.number), data: found.data };
}

function poolsOf(call: ActionCall, config: Params, tags: Params): FleetPool[] {
  const template = resolve(call, config);
  const overrides = parts(config, 'Overrides');
  return (overrides.length === 0 ? [{}] : overrides).map((override: Params) => {
    const weight = decimal(override, 'WeightedCapacity') ?? 1;
    if (weight <= 0 || weight > 999) throw invalidParameter(`WeightedCapacity (${weight}) must be between 1 and 999.`);
    if (part(override, 'InstanceRequirements') !== undefined) {
      throw invalidParameter('InstanceRequirements are not supported here; name an InstanceType in each override.');
    }
    if (text(override, 'SubnetId')?.includes(',')) throw invalidParameter('An instant fleet takes one subnet ID per override.');
    const { params, data } = overlay(override, template.data);
    return {
      params: { ...params, TagSpecification: tags },
      template: data,
      weight,
      priority: decimal(override, 'Priority') ?? Number.POSITIVE_INFINITY,
      xml: node('launchTemplateAndOverrides', specificationXml(template) + node('overrides', overrideXml(override))),
    };
  });
}

/** Lays an override over template data so that what only contradicts because it is older gives way. */
function overlay(override: Params, data: Params): { params: Params; data: Params } {
  const params: Params = {};
  const base: Params = { ...data };
  for (const name of ['InstanceType', 'ImageId']) if (override[name] !== undefined) params[name] = override[name];
  const subnet = text(override, 'SubnetId');
  const zone = text(override, 'AvailabilityZone') ?? text(part(override, 'Placement'), 'AvailabilityZone');
  const first = parts(data, 'NetworkInterface')[0];
  if (subnet !== undefined && first !== undefined) {
    // The interface keeps its groups and is put into the override's subnet.
    params['NetworkInterface'] = { ...part(data, 'NetworkInterface'), 1: { ...first, SubnetId: subnet } };
  } else if (subnet !== undefined) {
    params['SubnetId'] = subnet;
  }
  if (subnet !== undefined) delete base['Placement'];
  if (zone !== undefined) params['Placement'] = { AvailabilityZone: zone };
  const maxPrice = text(override, 'MaxPrice');
  if (maxPrice !== undefined) params['InstanceMarketOptions'] = { SpotOptions: { MaxPrice: maxPrice } };
  return { params, data: base };
}

/** The tag specifications of the call that concern machines; those of the fleet itself are its own. */
function machineTags(specifications: Params): Params {
  const kept: Params = {};
  for (const [index, entry] of Object.entries(specifications)) {
    if (typeof entry !== 'object') continue;
    const type = text(entry, 'ResourceType') ?? '';
    if (type === 'fleet') continue;
    if (type === 'launch-template')
      throw new AwsError('InvalidTagSpecification', `'${type}' is not a valid taggable resource type for this operation.`);
    kept[index] = entry;
  }
  return kept;
}

function specificationXml(template: Resolved): string {
  return node('launchTemplateSpecification', leaf('launchTemplateId', template.id) + leaf('version', template.version));
}

function overrideXml(override: Params): string {
  return (
    leaf('instanceType', text(override, 'InstanceType')) +
    leaf('maxPrice', text(override, 'MaxPrice')) +
    leaf('subnetId', text(override, 'SubnetId')) +
    leaf('availabilityZone', text(override, 'AvailabilityZone')) +
    leaf('weightedCapacity', text(override, 'WeightedCapacity')) +
    leaf('priority', text(override, 'Priority')) +
    leaf('imageId', text(override, 'ImageId'))
  );
}
