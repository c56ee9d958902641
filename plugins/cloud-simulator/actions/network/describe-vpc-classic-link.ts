import type { Action } from '../../dispatch/action.ts';
import { type FilterFields, passes, readFilters } from '../../wire/filters.ts';
import { itemSet, leaf } from '../../wire/xml/xml.ts';
import { namedVpcs } from './vpc-ids.ts';

const fields: FilterFields<string> = { 'is-classic-link-enabled': () => 'false' };

/** Shows that the VPC has no ClassicLink: AWS has retired EC2-Classic, and clients still ask. */
export const describeVpcClassicLink: Action = {
  name: 'DescribeVpcClassicLink',
  mutating: false,
  handle(call) {
    const filters = readFilters(call.params, fields, true);
    const shown = namedVpcs(call).filter((id) => passes(id, filters, fields));
    return itemSet('vpcSet', shown, (id) => `${leaf('classicLinkEnabled', false)}<tagSet/>${leaf('vpcId', id)}`);
  },
};
