import type { Action } from '../../dispatch/action.ts';
import { attachInstances } from './attach-instances.ts';
import { createAutoScalingGroup } from './create-auto-scaling-group.ts';
import { createOrUpdateTags } from './create-or-update-tags.ts';
import { deleteAutoScalingGroup } from './delete-auto-scaling-group.ts';
import { describeAccountLimits } from './describe-account-limits.ts';
import { describeAutoScalingGroups } from './describe-auto-scaling-groups.ts';
import { describeAutoScalingInstances } from './describe-auto-scaling-instances.ts';
import { describeLifecycleHooks } from './describe-lifecycle-hooks.ts';
import { describeScalingActivities } from './describe-scaling-activities.ts';
import { describeGroupTags } from './describe-tags.ts';
import { detachInstances } from './detach-instances.ts';
import { disableMetricsCollection } from './disable-metrics-collection.ts';
import { launchInstances } from './launch-instances.ts';
import { resumeProcesses } from './resume-processes.ts';
import { setDesiredCapacity } from './set-desired-capacity.ts';
import { setInstanceProtection } from './set-instance-protection.ts';
import { suspendProcesses } from './suspend-processes.ts';
import { terminateInstanceInAutoScalingGroup } from './terminate-instance-in-auto-scaling-group.ts';
import { updateAutoScalingGroup } from './update-auto-scaling-group.ts';

export const groupsActions: readonly Action[] = [
  createAutoScalingGroup,
  updateAutoScalingGroup,
  setDesiredCapacity,
  deleteAutoScalingGroup,
  describeAutoScalingGroups,
  describeAutoScalingInstances,
  describeScalingActivities,
  detachInstances,
  terminateInstanceInAutoScalingGroup,
  suspendProcesses,
  resumeProcesses,
  setInstanceProtection,
  launchInstances,
  describeAccountLimits,
  createOrUpdateTags,
  describeGroupTags,
  attachInstances,
  describeLifecycleHooks,
  disableMetricsCollection,
];
