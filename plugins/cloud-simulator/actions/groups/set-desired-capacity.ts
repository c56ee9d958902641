import { changed } from '../../groups/reconcile.ts';
import { activityInProgress, validationError } from '../../groups/refusals.ts';
import { flag, integer, required } from '../../wire/values.ts';
import { groupAction, openGroup } from './group-action.ts';

/** Sets the desired capacity of a group within its bounds. The cooldown applies only to calls with `HonorCooldown`. */
export const setDesiredCapacity = groupAction({
  name: 'SetDesiredCapacity',
  mutating: true,
  handle(call) {
    const { params, now } = call;
    const group = openGroup(call);
    required(params, 'DesiredCapacity');
    const desired = integer(params, 'DesiredCapacity') as number;
    const { min, max, cooldownS } = group.config;
    if (desired > max)
      throw validationError(
        `New SetDesiredCapacity value ${desired} is above max value ${max} for the AutoScalingGroup.`,
      );
    if (desired < min)
      throw validationError(
        `New SetDesiredCapacity value ${desired} is below min value ${min} for the AutoScalingGroup.`,
      );
    if (flag(params, 'HonorCooldown') && group.scaledAt !== undefined && now < group.scaledAt + cooldownS * 1000)
      throw activityInProgress('Scaling activity is in progress and blocks this action: the cooldown has not passed.');
    group.desired = desired;
    call.touched.push(group.name);
    changed(call, group);
    return '';
  },
});
