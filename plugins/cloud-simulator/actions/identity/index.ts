import type { Action } from '../../dispatch/action.ts';
import { assumeRole } from './assume-role.ts';
import { getCallerIdentity } from './get-caller-identity.ts';

export const identityActions: readonly Action[] = [assumeRole, getCallerIdentity];
