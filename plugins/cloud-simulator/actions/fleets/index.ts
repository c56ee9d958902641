import type { Action } from '../../action.ts';
import { createFleet } from './create-fleet.ts';
import { deleteFleets } from './delete-fleets.ts';
import { describeFleets } from './describe-fleets.ts';

export const fleetsActions: readonly Action[] = [createFleet, deleteFleets, describeFleets];
