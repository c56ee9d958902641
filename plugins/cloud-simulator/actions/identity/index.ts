import type { Action } from '../../dispatch/action.ts';
import { assumeRole } from './assume-role.ts';
import { getCallerIdentity } from './get-caller-identity.ts';
import { getRole } from './get-role.ts';

export const identityActions: readonly Action[] = [assumeRole, getCallerIdentity, getRole];
