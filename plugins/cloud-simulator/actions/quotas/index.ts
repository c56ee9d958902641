import type { Action } from '../../dispatch/action.ts';
import { getServiceQuota } from './get-service-quota.ts';
import { listServiceQuotas } from './list-service-quotas.ts';

export const quotasActions: readonly Action[] = [getServiceQuota, listServiceQuotas];
