import { createHash } from 'node:crypto';
import { type CatalogueInstanceType, instanceType } from '../catalogue.ts';
import type { Moment } from '../moment.ts';
import { mergeTags, noTags, readTagSpecifications, type Tags } from '../state/tags.ts';
import { AwsError, invalidCombination, invalidParameter, missingParameter } from '../wire/errors.ts';
import { type Params, part, text } from '../wire/form.ts';
import { decimal, flag, oneOf } from '../wire/values.ts';
import { checkUserData } from './user-data.ts';
import { type LaunchNetwork, readLaunchNetwork } from './launch-network.ts';

export type Market = 'on-demand' | 'spot';

/** What a launch is made of, checked. Shared by all machines of the launch. */
export interface LaunchSpec {
  readonly imageId: string;
  readonly type: CatalogueInstanceType;
  readonly market: Market;
  /** The most that a Spot machine may cost an hour; undefined = the on-demand price. */
  readonly maxPrice: number | undefined;
  readonly network: LaunchNetwork;
  readonly keyName: string | undefined;
  readonly profileArn: string | undefined;
  readonly tags: Tags;
  /** Termination protection. */
  readonly guarded: boolean;
  readonly metadata: Params | undefined;
}

const taggable = new Set(['instance', 'volume', 'network-interface', 'elastic-gpu', 'spot-instances-request']);

/**
 * Checks what is to be launched, in the names of RunInstances. `template` lies under `params`: tags of both are joined, of
 * everything else the call's own wins. `market` is the fleet's choice; without it the launch itself says.
 */
export function readLaunchSpec(moment: Moment, params: Params, template: Params | undefined, market?: Market): LaunchSpec {
  const all: Params = { ...template, ...params };
  const type = readType(all);
  const imageId = readImage(moment, all, type);
  const options = part(all, 'InstanceMarketOptions');
  const chosen = market ?? (oneOf(options, 'MarketType', ['spot']) === 'spot' ? 'spot' : 'on-demand');
  checkUserData(text(all, 'UserData'));
  const keyName = text(all, 'KeyName');
  if (moment.knobs.strict_ids && keyName !== undefined && !moment.state.network.catalogue.key_names.includes(keyName)) {
    throw new AwsError('InvalidKeyPair.NotFound', `The key pair '${keyName}' does not exist`);
  }
  return {
    imageId,
    type,
    market: chosen,
    maxPrice: decimal(part(options, 'SpotOptions'), 'MaxPrice'),
    network: readLaunchNetwork(moment, all),
    keyName,
    profileArn: readProfile(moment, part(all, 'IamInstanceProfile')),
    tags: readLaunchTags(params, template, chosen),
    guarded: flag(all, 'DisableApiTermination') ?? false,
    metadata: part(all, 'MetadataOptions'),
  };
}

function readType(all: Params): CatalogueInstanceType {
  if (part(all, 'InstanceRequirements') !== undefined)
    throw invalidParameter('InstanceRequirements cannot be used here; name an InstanceType.');
  const name = text(all, 'InstanceType');
  if (name === undefined || name === '') throw missingParameter('InstanceType');
  const type = instanceType(name);
  if (type === undefined) throw invalidParameter(`Invalid value '${name}' for InstanceType.`);
  return type;
}

function readImage(moment: Moment, all: Params, type: CatalogueInstanceType): string {
  const given = text(all, 'ImageId');
  if (given === undefined || given === '') throw missingParameter('ImageId');
  if (given.startsWith('resolve:ssm:')) return `ami-0${createHash('sha256').update(given).digest('hex').slice(0, 16)}`;
  if (!/^ami-[\w-]+$/.test(given)) throw new AwsError('InvalidAMIID.Malformed', `Invalid id: "${given}" (expecting "ami-...")`);
  const image = moment.state.network.image(given);
  if (image === undefined && moment.knobs.strict_ids)
    throw new AwsError('InvalidAMIID.NotFound', `The image id '[${given}]' does not exist`);
  if (image !== undefined && image.arch !== type.arch) {
    throw invalidParameter(
      `The architecture '${type.arch}' of the specified instance type does not match the architecture '${image.arch}' of the specified AMI.`,
    );
  }
  return given;
}

function readProfile(moment: Moment, profile: Params | undefined): string | undefined {
  const arn = text(profile, 'Arn');
  const name = text(profile, 'Name');
  if (arn === undefined && name === undefined) return undefined;
  if (arn !== undefined && name !== undefined)
    throw invalidCombination("The parameter 'iamInstanceProfile.name' may not be used in combination with 'iamInstanceProfile.arn'");
  if (moment.knobs.strict_ids || (arn !== undefined && !arn.startsWith('arn:'))) {
    const which = arn === undefined ? 'name' : 'arn';
    throw invalidParameter(
      `Value (${arn ?? name}) for parameter iamInstanceProfile.${which} is invalid. Invalid IAM Instance Profile ${which}`,
    );
  }
  return arn ?? `arn:aws:iam::${moment.state.account}:instance-profile/${name}`;
}

function readLaunchTags(params: Params, template: Params | undefined, market: Market): Tags {
  let tags = noTags;
  for (const source of [template, params]) {
    if (source === undefined) continue;
    const byType = readTagSpecifications(source);
    const wrong = [...byType.keys()].find((type) => !taggable.has(type));
    if (wrong !== undefined) throw invalidParameter(`'${wrong}' is not a valid taggable resource type for this operation.`);
    if (market === 'on-demand' && byType.has('spot-instances-request')) {
      throw invalidParameter('The value for tag specification resource type spot-instances-request can only be used with Spot Instances.');
    }
    tags = mergeTags(tags, byType.get('instance') ?? noTags);
  }
  return tags;
}
