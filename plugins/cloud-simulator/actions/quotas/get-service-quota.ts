import type { Action } from '../../dispatch/action.ts';
import { AwsError } from '../../wire/errors.ts';
import { text } from '../../wire/form.ts';
import { serviceQuotasVersion } from '../../wire/protocols.ts';
import { quotasOf } from './quota-table.ts';

/** Service Quotas: shows one quota of EC2. */
export const getServiceQuota: Action = {
  name: 'GetServiceQuota',
  version: serviceQuotasVersion,
  mutating: false,
  handle(call) {
    const code = text(call.params, 'QuotaCode');
    const Quota = quotasOf(call).find(({ QuotaCode }) => QuotaCode === code);
    if (Quota === undefined)
      throw new AwsError(
        'NoSuchResourceException',
        `The request failed because the specified quota ${code} does not exist.`,
      );
    return JSON.stringify({ Quota });
  },
};
