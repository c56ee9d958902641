import type { ActionName } from '../actions/action-names.ts';
import type { ActionCall } from '../dispatch/action.ts';
import type { DeniedRule } from '../knobs/caller-knobs.ts';
import { fits } from '../pattern.ts';
import type { CallContext } from '../state/call-context.ts';
import type { FleetKind } from '../state/fleets/standing-fleet.ts';
import { identityOf, partitionOf } from '../state/sessions.ts';
import { AwsError } from '../wire/errors.ts';
import type { LaunchSpec } from './specification/launch-spec.ts';

/** Who starts machines. */
export interface Launcher {
  /** The action that asked for the machines; fleets and groups may start them long after it. */
  readonly action: ActionName;
  /** The ARN of the caller, or of the role of the service that starts the machines. */
  readonly who: string;
  /** Resource types that it may tag on a market; null = all. */
  readonly mayTag: readonly string[] | null;
  readonly tagsOfSpotChecked: boolean;
}

/** A launch that starts machines as the caller of its action. */
export function callerAsLauncher(call: ActionCall, action: ActionName): Launcher {
  const { arn } = identityOf(call.sessions, call.accessKey, call.state);
  return { action, who: arn, mayTag: null, tagsOfSpotChecked: false };
}

/** A fleet that starts machines after its call, under the role of its service. */
export function fleetAsLauncher({ state, knobs }: CallContext, kind: FleetKind): Launcher {
  const { ec2_fleet_tags, spot_fleet_tags, spot_market } = knobs.auth.service_roles;
  return kind === 'ec2'
    ? {
        action: 'CreateFleet',
        who: `arn:${partitionOf(state.region)}:sts::${state.account}:assumed-role/AWSServiceRoleForEC2Fleet/EC2Fleet`,
        mayTag: ec2_fleet_tags,
        tagsOfSpotChecked: spot_market,
      }
    : {
        action: 'RequestSpotFleet',
        who: `arn:${partitionOf(state.region)}:sts::${state.account}:assumed-role/AWSServiceRoleForEC2SpotFleet/SpotFleet`,
        mayTag: spot_fleet_tags,
        tagsOfSpotChecked: spot_market,
      };
}

/** A group, whose role may tag everything. */
export function groupAsLauncher({ state }: CallContext): Launcher {
  return {
    action: 'CreateAutoScalingGroup',
    who: `arn:${partitionOf(state.region)}:sts::${state.account}:assumed-role/AWSServiceRoleForAutoScaling/AutoScaling`,
    mayTag: null,
    tagsOfSpotChecked: false,
  };
}

/** What a launch uses. */
export interface Used {
  readonly spec: LaunchSpec;
  readonly subnet?: string | undefined;
  /** The id and the name of the launch template; empty without one. */
  readonly template: readonly string[];
}

/** Throws UnauthorizedOperation if the launcher may not launch with what the launch uses, or may not tag so. */
export function checkLaunch(context: CallContext, launcher: Launcher, used: Used): void {
  const { spec } = used;
  const denial = context.knobs.auth.denied.find(
    (rule) =>
      isNarrowed(rule) && concerns(rule, launcher.action) && context.rules.inForce(rule, context) && uses(used, rule),
  );
  if (denial !== undefined) throw notAllowed('ec2', 'RunInstances', launcher.who, resourceOf(denial));
  const { mayTag, who, tagsOfSpotChecked } = launcher;
  if (mayTag === null || (spec.market === 'spot' && !tagsOfSpotChecked)) return;
  const wrong = [...spec.tagTypes].find((type) => !mayTag.includes(type));
  if (wrong !== undefined) throw notAllowed('ec2', 'CreateTags', who, `${wrong}/*`);
}

/** Throws UnauthorizedOperation if the caller may not pass a role on to a service. */
export function checkPassed(context: CallContext, launcher: Launcher, role: string): void {
  const denial = context.knobs.auth.denied.find(
    ({ template, image, subnet, ...rule }) =>
      rule.role !== undefined &&
      [template, image, subnet].every((each) => each === undefined) &&
      concerns(rule, launcher.action) &&
      context.rules.inForce(rule, context) &&
      isRole(rule.role, role),
  );
  if (denial !== undefined) throw notAllowed('iam', 'PassRole', launcher.who, role);
}

/** Whether a rule denies only launches that use something, not the action as a whole. */
export function isNarrowed({ template, image, subnet, role }: DeniedRule): boolean {
  return [template, image, subnet, role].some((each) => each !== undefined);
}

/** The error of a caller without permission, in the manner of a service. */
export function notAllowed(service: string, action: string, who: string, resource?: string): AwsError {
  const sentence = `User: ${who} is not authorized to perform: ${service}:${action}${resource === undefined ? '' : ` on resource: ${resource}`}`;
  if (service === 'ssm' || service === 'servicequotas') return new AwsError('AccessDeniedException', sentence);
  if (service === 'sqs') return new AwsError('AccessDeniedException', sentence, 403);
  if (service !== 'ec2' && service !== 'iam') return new AwsError('AccessDenied', sentence);
  const encoded = Buffer.from(sentence).toString('base64url');
  return new AwsError(
    'UnauthorizedOperation',
    `You are not authorized to perform this operation. ${sentence}. Encoded authorization failure message: ${encoded}`,
  );
}

const concerns = ({ action }: Pick<DeniedRule, 'action'>, name: ActionName): boolean =>
  action === '*' || action === name;

function uses({ spec, subnet, template }: Used, rule: DeniedRule): boolean {
  return (
    (rule.template === undefined || template.some((each) => fits(rule.template, each))) &&
    (rule.image === undefined || fits(rule.image, spec.imageId)) &&
    (rule.subnet === undefined || fits(rule.subnet, subnet ?? '')) &&
    (rule.role === undefined || (spec.profileArn !== undefined && isRole(rule.role, spec.profileArn)))
  );
}

/** Whether a pattern names a role or an instance profile by its ARN, or by the name at the end of the ARN. */
const isRole = (pattern: string, arn: string): boolean =>
  fits(pattern, arn) || fits(pattern, arn.split('/').at(-1) ?? '');

const resourceOf = ({ template, image, subnet, role }: DeniedRule): string =>
  [
    ['launch-template', template],
    ['image', image],
    ['subnet', subnet],
    ['instance-profile', role],
  ]
    .flatMap(([kind, name]) => (name === undefined ? [] : [`${kind}/${name}`]))
    .join(', ');
