import type { Finding } from '../../core/index.ts';
import { marketsOf, reviewFleet, standingTypes, type CloudTemplate } from '../cloud/index.ts';
import { spotByDefault } from './spot-by-default.ts';

const ownFields = ['fleet_role', 'spot_fleet_request_expiry'];
const overridden = [
  'Type',
  'ClientToken',
  'TargetCapacity',
  'OnDemandTargetCapacity',
  'TerminateInstancesWithExpiration',
  'ExcessCapacityTerminationPolicy',
];

/** Reports what Spot Fleet cannot honor. */
export function review(given: object): Finding[] {
  const template = spotByDefault(given as CloudTemplate);
  const findings = reviewFleet(template, {
    types: standingTypes,
    knows: ownFields,
    overridden,
    tagged: 'spot-fleet-request',
    within: 'SpotFleetRequestConfig',
  });
  if (!marketsOf(template).includes('spot'))
    findings.push({
      level: 'error',
      path: '/price_type',
      message: 'must be spot or mixed; SpotFleet starts on-demand machines beside Spot only',
    });
  const role = template['fleet_role'];
  if (typeof role === 'string' && role.startsWith('arn:') && !/^arn:aws[\w-]*:iam::\d{12}:role\/\S+$/.test(role))
    findings.push({ level: 'error', path: '/fleet_role', message: 'must be the name or the ARN of a role' });
  return findings;
}
