import type { Action } from '../../dispatch/action.ts';
import { getParameter } from './get-parameter.ts';

export const parametersActions: readonly Action[] = [getParameter];
