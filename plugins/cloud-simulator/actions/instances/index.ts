import type { Action } from '../../dispatch/action.ts';
import { describeInstanceAttribute } from './describe-instance-attribute.ts';
import { describeInstanceStatus } from './describe-instance-status.ts';
import { describeInstances } from './describe-instances.ts';
import { modifyInstanceAttribute } from './modify-instance-attribute.ts';
import { rebootInstances } from './reboot-instances.ts';
import { runInstances } from './run-instances.ts';
import { startStoppedInstances } from './start-instances.ts';
import { stopInstances } from './stop-instances.ts';
import { terminateInstances } from './terminate-instances.ts';

export const instancesActions: readonly Action[] = [
  describeInstanceAttribute,
  describeInstanceStatus,
  describeInstances,
  modifyInstanceAttribute,
  rebootInstances,
  runInstances,
  startStoppedInstances,
  stopInstances,
  terminateInstances,
];
