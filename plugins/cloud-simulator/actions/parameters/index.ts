import type { Action } from '../../dispatch/action.ts';
import { getParameter } from './get-parameter.ts';
import { getParametersByPath } from './get-parameters-by-path.ts';
import { getParameters } from './get-parameters.ts';

export const parametersActions: readonly Action[] = [getParameter, getParameters, getParametersByPath];
