import type { Action } from '../../action.ts';

export const spotActions: readonly Action[] = [];
