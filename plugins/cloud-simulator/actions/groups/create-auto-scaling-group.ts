import type { ActionCall } from '../../dispatch/action.ts';
import { readGroupConfig } from '../../groups/group-config.ts';
import { readGroupTags } from '../../groups/group-tags.ts';
import { planGroupCheck } from '../../groups/health-checks.ts';
import { memberEnds, memberStops } from '../../groups/health.ts';
import { reconcileSoon } from '../../groups/reconcile.ts';
import { validationError } from '../../groups/refusals.ts';
import { changeSizes } from '../../groups/sizes.ts';
import { uuid } from '../../random.ts';
import type { Group } from '../../state/groups.ts';
import { AwsError } from '../../wire/errors.ts';
import { memberParts } from '../../wire/members.ts';
import { integer, required } from '../../wire/values.ts';
import { groupAction } from './group-action.ts';

const maxName = 255;

/**
 * Creates a group; its machines start later. The action has no client token: the unique name prevents a second group.
 */
export const createAutoScalingGroup = groupAction({
  name: 'CreateAutoScalingGroup',
  mutating: true,
  handle(call) {
    const { params, state, knobs } = call;
    const name = readName(call);
    if (state.groups.byName.has(name))
      throw new AwsError(
        'AlreadyExists',
        `AutoScalingGroup by this name already exists - A group with the name ${name} already exists`,
      );
    for (const bound of ['MinSize', 'MaxSize']) required(params, bound);
    const sizes = changeSizes(undefined, {
      min: integer(params, 'MinSize'),
      max: integer(params, 'MaxSize'),
      desired: integer(params, 'DesiredCapacity'),
    });
    const config = readGroupConfig(call, params, sizes, undefined);
    const tags = readGroupTags(memberParts(params, 'Tags'), new Map());
    const quota = knobs.quotas.groups;
    if (quota !== null && state.groups.byName.size >= quota)
      throw new AwsError(
        'LimitExceeded',
        `You have reached the limit of ${quota} Auto Scaling groups in this Region.`,
      );

    const group: Group = {
      name,
      arn: `arn:aws:autoscaling:${state.region}:${state.account}:autoScalingGroup:${uuid(call.random)}:autoScalingGroupName/${name}`,
      createdAt: call.now,
      place: state.groups.nextPlace++,
      controller: {
        id: name,
        onEnding: (instance, at) => memberEnds(state.contextAt(at), group, instance),
        onStopping: (instance, at) => memberStops(state.contextAt(at), group, instance),
      },
      tags,
      suspended: new Map(),
      members: new Map(),
      activities: [],
      config,
      desired: sizes.desired,
      launching: 0,
      failures: 0,
      retryAt: call.now,
      unbalanced: { failures: 0, retryAt: call.now },
      checking: false,
      reconcileAt: undefined,
      scaledAt: undefined,
      deletedAt: undefined,
    };
    state.groups.byName.set(name, group);
    call.touched.push(name);
    reconcileSoon(call, group);
    planGroupCheck(call, group);
    return '';
  },
});

function readName(call: ActionCall): string {
  const name = required(call.params, 'AutoScalingGroupName');
  if (name.length > maxName || name.includes(':'))
    throw validationError(`The name of a group must have at most ${maxName} characters and no colon: '${name}'`);
  return name;
}
