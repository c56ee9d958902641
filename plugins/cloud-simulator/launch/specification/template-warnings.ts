import { instanceType } from '../../catalogue.ts';
import { AwsError, invalidCombination, invalidParameter } from '../../wire/errors.ts';
import { type Params, part, parts, text, texts } from '../../wire/form.ts';
import { flag } from '../../wire/values.ts';
import { isImageAlias, isImageId } from './image-ids.ts';
import { checkUserData } from './user-data.ts';

/**
 * The errors of a launch from template data, one for each failed check. A missing parameter is no error, because the
 * launch may add it.
 */
export function templateWarnings(data: Params): AwsError[] {
  return checks.flatMap((check) => {
    try {
      check(data);
      return [];
    } catch (error) {
      if (error instanceof AwsError) return [error];
      throw error;
    }
  });
}

const checks: readonly ((data: Params) => void)[] = [
  (data) => {
    const image = text(data, 'ImageId');
    if (image === undefined || isImageAlias(image) || isImageId(image)) return;
    throw new AwsError('InvalidAMIID.Malformed', `Invalid id: "${image}" (expecting "ami-...")`);
  },
  (data) => {
    const name = text(data, 'InstanceType');
    if (name !== undefined && instanceType(name) === undefined)
      throw invalidParameter(`Invalid value '${name}' for InstanceType.`);
  },
  (data) => {
    if (text(data, 'InstanceType') !== undefined && part(data, 'InstanceRequirements') !== undefined)
      throw invalidCombination('InstanceType and InstanceRequirements may not be specified together.');
  },
  (data) => {
    const groups = [...texts(data, 'SecurityGroupId'), ...texts(data, 'SecurityGroup')];
    if (groups.length > 0 && parts(data, 'NetworkInterface').length > 0)
      throw invalidCombination(
        'Network interfaces and an instance-level security groups may not be specified on the same request',
      );
  },
  (data) => {
    const interfaces = parts(data, 'NetworkInterface');
    if (interfaces.length > 1 && interfaces.some((one) => flag(one, 'AssociatePublicIpAddress') === true))
      throw invalidCombination(
        'The associatePublicIPAddress parameter cannot be specified when launching with multiple network interfaces.',
      );
  },
  (data) => checkUserData(text(data, 'UserData')),
];
