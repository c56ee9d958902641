import type { Action } from '../../dispatch/action.ts';
import { AwsError } from '../../wire/errors.ts';
import { type FilterFields, passes, readFilters, withoutValue } from '../../wire/filters.ts';
import { texts } from '../../wire/form.ts';
import { pageOf, pageRequest } from '../../wire/pages.ts';
import { itemSet, leaf, nextTokenXml } from '../../wire/xml/xml.ts';

const cidr = '10.0.0.0/8';

const associationOf = (id: string) => `vpc-cidr-assoc-${id.slice('vpc-'.length)}`;
const dhcpOptionsOf = (id: string) => `dopt-${id.slice('vpc-'.length)}`;

/** Shows the only VPC of the region, the default VPC. */
export const describeVpcs: Action = {
  name: 'DescribeVpcs',
  mutating: false,
  handle(call) {
    const { account, network } = call.state;
    const fields: FilterFields<string> = {
      ...withoutValue(
        'ipv6-cidr-block-association.association-id',
        'ipv6-cidr-block-association.ipv6-cidr-block',
        'ipv6-cidr-block-association.ipv6-pool',
        'ipv6-cidr-block-association.state',
      ),
      cidr: () => cidr,
      'cidr-block-association.association-id': associationOf,
      'cidr-block-association.cidr-block': () => cidr,
      'cidr-block-association.state': () => 'associated',
      'dhcp-options-id': dhcpOptionsOf,
      'is-default': () => 'true',
      isDefault: () => 'true',
      'owner-id': () => account,
      state: () => 'available',
      'vpc-id': (id) => id,
    };
    const page = pageRequest(call, { min: 5, max: 1000, notWith: 'VpcId' });
    const filters = readFilters(call.params, fields, true);
    const ids = texts(call.params, 'VpcId');
    const own = network.catalogue.vpc_id;
    const missing = ids.find((id) => id !== own);
    if (missing !== undefined) throw new AwsError('InvalidVpcID.NotFound', `The vpc ID '${missing}' does not exist`);
    const { entries, next } = pageOf(
      [own].filter((id) => passes(id, filters, fields)),
      page,
    );
    return (
      itemSet(
        'vpcSet',
        entries,
        (id) =>
          leaf('vpcId', id) +
          leaf('ownerId', account) +
          leaf('state', 'available') +
          leaf('cidrBlock', cidr) +
          leaf('dhcpOptionsId', dhcpOptionsOf(id)) +
          `<cidrBlockAssociationSet><item><cidrBlock>${cidr}</cidrBlock><associationId>${associationOf(id)}</associationId><cidrBlockState><state>associated</state></cidrBlockState></item></cidrBlockAssociationSet>` +
          leaf('instanceTenancy', 'default') +
          leaf('isDefault', true) +
          '<tagSet/>',
      ) + nextTokenXml(next)
    );
  },
};
