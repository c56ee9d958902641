import type { Action, ActionCall } from '../../dispatch/action.ts';
import { texts } from '../../wire/form.ts';
import { pageOf, pageRequest } from '../../wire/pages.ts';
import { itemSet, leaf, nextTokenXml } from '../../wire/xml/xml.ts';
import { checkVpc } from './vpc-ids.ts';

/** Shows that the VPC has no DNS support for ClassicLink. */
export const describeVpcClassicLinkDnsSupport: Action = {
  name: 'DescribeVpcClassicLinkDnsSupport',
  mutating: false,
  handle(call: ActionCall) {
    const page = pageRequest(call, { min: 5, max: 255, notWith: 'VpcIds' });
    const ids = texts(call.params, 'VpcIds');
    for (const id of ids) checkVpc(call, id);
    const { entries, next } = pageOf(ids.length > 0 ? ids : call.state.network.vpcs().map(({ id }) => id), page);
    return (
      itemSet('vpcs', entries, (id) => leaf('classicLinkDnsSupported', false) + leaf('vpcId', id)) + nextTokenXml(next)
    );
  },
};
