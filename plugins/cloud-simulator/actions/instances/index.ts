import type { Action } from '../../dispatch/action.ts';
import { describeInstanceStatus } from './describe-instance-status.ts';
import { describeInstances } from './describe-instances.ts';
import { runInstances } from './run-instances.ts';
import { terminateInstances } from './terminate-instances.ts';

export const instancesActions: readonly Action[] = [
  describeInstanceStatus,
  describeInstances,
  runInstances,
  terminateInstances,
];
