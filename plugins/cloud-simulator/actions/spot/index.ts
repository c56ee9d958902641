import type { Action } from '../../dispatch/action.ts';
import { cancelSpotFleetRequests } from './cancel-spot-fleet-requests.ts';
import { cancelSpotInstanceRequests } from './cancel-spot-instance-requests.ts';
import { describeSpotFleetInstances } from './describe-spot-fleet-instances.ts';
import { describeSpotFleetRequestHistory } from './describe-spot-fleet-request-history.ts';
import { describeSpotFleetRequests } from './describe-spot-fleet-requests.ts';
import { describeSpotInstanceRequests } from './describe-spot-instance-requests.ts';
import { modifySpotFleetRequest } from './modify-spot-fleet-request.ts';
import { requestSpotFleet } from './request-spot-fleet.ts';
import { requestSpotInstances } from './request-spot-instances.ts';

export const spotActions: readonly Action[] = [
  requestSpotFleet,
  modifySpotFleetRequest,
  cancelSpotFleetRequests,
  describeSpotFleetRequests,
  describeSpotFleetInstances,
  describeSpotFleetRequestHistory,
  describeSpotInstanceRequests,
  requestSpotInstances,
  cancelSpotInstanceRequests,
];
