import type { Action } from '../../dispatch/action.ts';
import { pageOf, pageRequest } from '../../wire/pages.ts';
import { serviceQuotasVersion } from '../../wire/protocols.ts';
import { quotasOf } from './quota-table.ts';

/** Service Quotas: lists the quotas of EC2 that launches need. */
export const listServiceQuotas: Action = {
  name: 'ListServiceQuotas',
  version: serviceQuotasVersion,
  mutating: false,
  handle(call) {
    const { entries, next } = pageOf(quotasOf(call), pageRequest(call, { min: 1, max: 100 }));
    return JSON.stringify({ Quotas: entries, ...(next === undefined ? {} : { NextToken: next }) });
  },
};
