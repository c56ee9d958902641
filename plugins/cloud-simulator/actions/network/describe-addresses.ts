import type { Action } from '../../dispatch/action.ts';
import { AwsError } from '../../wire/errors.ts';
import { readFilters, withoutValue } from '../../wire/filters.ts';
import { texts } from '../../wire/form.ts';

const fields = withoutValue<never>(
  'allocation-id',
  'association-id',
  'domain',
  'instance-id',
  'network-border-group',
  'network-interface-id',
  'network-interface-owner-id',
  'private-ip-address',
  'public-ip',
);

/** Shows the Elastic IP addresses, of which an account has none here. */
export const describeAddresses: Action = {
  name: 'DescribeAddresses',
  mutating: false,
  handle(call) {
    readFilters(call.params, fields, true);
    const [address] = texts(call.params, 'PublicIp');
    if (address !== undefined) throw new AwsError('InvalidAddress.NotFound', `Address '${address}' not found.`);
    const [allocation] = texts(call.params, 'AllocationId');
    if (allocation !== undefined)
      throw new AwsError('InvalidAllocationID.NotFound', `The allocation ID '${allocation}' does not exist`);
    return '<addressesSet/>';
  },
};
