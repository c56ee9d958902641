import type { Action } from '../../action.ts';
import { getCallerIdentity } from './get-caller-identity.ts';

export const identityActions: readonly Action[] = [getCallerIdentity];
