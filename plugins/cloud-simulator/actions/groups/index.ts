import type { Action } from '../../action.ts';

export const groupsActions: readonly Action[] = [];
