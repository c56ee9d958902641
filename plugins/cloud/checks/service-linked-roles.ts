import { isFault, type CheckedTemplate, type CheckResult, type ProviderCheck } from '../../../core/index.ts';
import type { CloudSession } from '../connection/session.ts';
import { marketsOf } from '../launch/pools.ts';
import type { CloudTemplate } from '../template/fields.ts';
import { cloudTemplates, error, named, ok, unlessDenied, usersOf, warning } from './results.ts';

/** The service that each role belongs to. */
const services = {
  AWSServiceRoleForEC2Spot: 'spot.amazonaws.com',
  AWSServiceRoleForEC2Fleet: 'ec2fleet.amazonaws.com',
  AWSServiceRoleForEC2SpotFleet: 'spotfleet.amazonaws.com',
  AWSServiceRoleForAutoScaling: 'autoscaling.amazonaws.com',
} as const;
type Role = keyof typeof services;

/** Whether the account has the service-linked roles under which Spot, fleets and groups start machines. */
export const rolesCheck: ProviderCheck<CloudSession> = {
  name: 'service-linked-roles',
  why: 'Spot machines, standing fleets and Auto Scaling groups start under roles of AWS that the account must have.',
  remedy: 'Create the role once: aws iam create-service-linked-role --aws-service-name SERVICE.',
  run: (session, checked, call) =>
    unlessDenied('The service-linked roles', 'iam:GetRole', async () => {
      const needs = new Map(checked.map((each) => [each.template as CloudTemplate, rolesOf(each, session)]));
      const users = usersOf(cloudTemplates(checked), (template) => needs.get(template) ?? []);
      const results: CheckResult[] = [];
      for (const [role, templates] of users) {
        const exists = await session.roles
          .read((iam) => new iam.GetRoleCommand({ RoleName: role }), call)
          .then(() => true)
          .catch((fault: unknown) => {
            if (isFault(fault) && /NoSuchEntity/.test(fault.code)) return false;
            throw fault;
          });
        if (!exists) results.push(missing(role, templates));
      }
      return results.length > 0 || users.size === 0
        ? results
        : [ok(`The account has ${[...users.keys()].join(', ')}.`)];
    }),
};

/** Most roles are made by AWS at the first use, if the caller may create them; that of Spot fleets is not. */
function missing(role: string, templates: readonly CloudTemplate[]): CheckResult {
  const service = Object.hasOwn(services, role) ? services[role as Role] : undefined;
  if (service === undefined)
    return error(`There is no role ${role}: ${named(templates)}.`, 'Create it, or correct its name.');
  const remedy = `aws iam create-service-linked-role --aws-service-name ${service}`;
  if (role === 'AWSServiceRoleForEC2SpotFleet')
    return error(`The account has no role ${role}: ${named(templates)}.`, remedy);
  const later = 'AWS creates it at the first use if the credentials have the permission iam:CreateServiceLinkedRole.';
  return warning(`The account has no role ${role}: ${named(templates)}. ${later}`, remedy);
}

/** The roles that a template needs, by name. */
function rolesOf({ template, api }: CheckedTemplate, { settings }: CloudSession): readonly string[] {
  const markets = marketsOf(template as CloudTemplate);
  const spot = markets.includes('spot') || api.name === 'SpotFleet' ? ['AWSServiceRoleForEC2Spot'] : [];
  if (api.name === 'ASG') return [...spot, 'AWSServiceRoleForAutoScaling'];
  if (api.name === 'SpotFleet') {
    const role = String(template['fleet_role'] ?? settings.service_role_spot_fleet);
    return [...spot, role.split('/').at(-1) ?? role];
  }
  const fleet_type = template['fleet_type'];
  const isStanding = api.name === 'EC2Fleet' && (fleet_type === 'request' || fleet_type === 'maintain');
  return isStanding ? [...spot, 'AWSServiceRoleForEC2Fleet'] : spot;
}
