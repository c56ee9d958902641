import type { Action } from '../../dispatch/action.ts';
import { describeVolumes } from './describe-volumes.ts';

export const volumesActions: readonly Action[] = [describeVolumes];
