import type { Action } from '../../dispatch/action.ts';
import { createFleet } from './create-fleet.ts';
import { deleteFleets } from './delete-fleets.ts';
import { describeFleetHistory } from './describe-fleet-history.ts';
import { describeFleetInstances } from './describe-fleet-instances.ts';
import { describeFleets } from './describe-fleets.ts';
import { modifyFleet } from './modify-fleet.ts';

export const fleetsActions: readonly Action[] = [
  createFleet,
  modifyFleet,
  deleteFleets,
  describeFleets,
  describeFleetInstances,
  describeFleetHistory,
];
