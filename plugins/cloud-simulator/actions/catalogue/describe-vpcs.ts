import type { Action } from '../../dispatch/action.ts';
import { type FilterFields, passes, readFilters, withoutValue } from '../../wire/filters.ts';
import type { Vpc } from '../../state/network/network.ts';
import { texts } from '../../wire/form.ts';
import { pageOf, pageRequest } from '../../wire/pages.ts';
import { checkVpc } from '../network/vpc-ids.ts';
import { itemSet, leaf, nameTagXml, nextTokenXml } from '../../wire/xml/xml.ts';

const associationOf = (id: string) => `vpc-cidr-assoc-${id.slice('vpc-'.length)}`;
const dhcpOptionsOf = (id: string) => `dopt-${id.slice('vpc-'.length)}`;

/** Shows the VPCs of the region. */
export const describeVpcs: Action = {
  name: 'DescribeVpcs',
  mutating: false,
  handle(call) {
    const { account, network } = call.state;
    const fields: FilterFields<Vpc> = {
      ...withoutValue(
        'ipv6-cidr-block-association.association-id',
        'ipv6-cidr-block-association.ipv6-cidr-block',
        'ipv6-cidr-block-association.ipv6-pool',
        'ipv6-cidr-block-association.state',
      ),
      cidr: (vpc) => vpc.cidr,
      'cidr-block-association.association-id': (vpc) => associationOf(vpc.id),
      'cidr-block-association.cidr-block': (vpc) => vpc.cidr,
      'cidr-block-association.state': () => 'associated',
      'dhcp-options-id': (vpc) => dhcpOptionsOf(vpc.id),
      'is-default': (vpc) => String(vpc.isDefault),
      isDefault: (vpc) => String(vpc.isDefault),
      'owner-id': () => account,
      state: () => 'available',
      'vpc-id': (vpc) => vpc.id,
    };
    const page = pageRequest(call, { min: 5, max: 1000, notWith: 'VpcId' });
    const filters = readFilters(call.params, fields, true);
    const ids = texts(call.params, 'VpcId');
    for (const id of ids) checkVpc(call, id);
    const shown = network.vpcs().filter(({ id }) => ids.length === 0 || ids.includes(id));
    const { entries, next } = pageOf(
      shown.filter((vpc) => passes(vpc, filters, fields)),
      page,
    );
    return (
      itemSet(
        'vpcSet',
        entries,
        ({ id, cidr, isDefault, name }) =>
          leaf('vpcId', id) +
          leaf('ownerId', account) +
          leaf('state', 'available') +
          leaf('cidrBlock', cidr) +
          leaf('dhcpOptionsId', dhcpOptionsOf(id)) +
          `<cidrBlockAssociationSet><item><cidrBlock>${cidr}</cidrBlock><associationId>${associationOf(id)}</associationId><cidrBlockState><state>associated</state></cidrBlockState></item></cidrBlockAssociationSet>` +
          leaf('instanceTenancy', 'default') +
          leaf('isDefault', isDefault) +
          nameTagXml(name),
      ) + nextTokenXml(next)
    );
  },
};
