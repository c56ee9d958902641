import type { Action } from '../../dispatch/action.ts';
import { AwsError } from '../../wire/errors.ts';
import { required } from '../../wire/values.ts';
import { leaf, node } from '../../wire/xml/xml.ts';
import { roleId } from './assume-role.ts';

/** The service that a service-linked role belongs to, by the name of the role. */
const linked: Readonly<Record<string, string>> = {
  AWSServiceRoleForAutoScaling: 'autoscaling.amazonaws.com',
  AWSServiceRoleForEC2Fleet: 'ec2fleet.amazonaws.com',
  AWSServiceRoleForEC2Spot: 'spot.amazonaws.com',
  AWSServiceRoleForEC2SpotFleet: 'spotfleet.amazonaws.com',
};

/**
 * IAM: shows a role. As for AssumeRole every role exists, except those whose names have the word `missing`, and those
 * of the knob `missing_roles`. A role that is not service-linked trusts EC2 and Spot fleets.
 */
export const getRole: Action = {
  name: 'GetRole',
  version: '2010-05-08',
  mutating: false,
  handle({ params, knobs, state: { account } }) {
    const name = required(params, 'RoleName');
    if (!/^[\w+=,.@-]{1,64}$/.test(name))
      throw new AwsError('ValidationError', `The specified value for roleName is invalid: '${name}'.`);
    if (/\bmissing\b/.test(name) || knobs.missing_roles.includes(name))
      throw new AwsError('NoSuchEntity', `The role with name ${name} cannot be found.`, 404);
    const service = linked[name];
    const path = service === undefined ? '/' : `/aws-service-role/${service}/`;
    const arn = `arn:aws:iam::${account}:role${path}${name}`;
    return node(
      'Role',
      leaf('Path', path) +
        leaf('RoleName', name) +
        leaf('RoleId', roleId(arn)) +
        leaf('Arn', arn) +
        leaf('CreateDate', '2026-01-01T00:00:00Z') +
        leaf('AssumeRolePolicyDocument', encodeURIComponent(JSON.stringify(trustIn(service)))) +
        leaf('MaxSessionDuration', 3600) +
        '<RoleLastUsed/>',
    );
  },
};

function trustIn(service: string | undefined): object {
  const Service = service ?? ['ec2.amazonaws.com', 'spotfleet.amazonaws.com'];
  return {
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Principal: { Service }, Action: 'sts:AssumeRole' }],
  };
}
