import type { CatalogueSecurityGroup } from '../../catalogue.ts';
import type { Action, ActionCall } from '../../dispatch/action.ts';
import { AwsError } from '../../wire/errors.ts';
import { type FilterFields, passes, readFilters, withoutValue } from '../../wire/filters.ts';
import { texts } from '../../wire/form.ts';
import { pageOf, pageRequest } from '../../wire/pages.ts';
import { itemSet, leaf, nextTokenXml } from '../../wire/xml/xml.ts';

const fields: FilterFields<CatalogueSecurityGroup> = {
  // The groups have no rules for incoming traffic. All of them allow all outgoing traffic.
  ...withoutValue(
    'egress.ip-permission.from-port',
    'egress.ip-permission.group-id',
    'egress.ip-permission.group-name',
    'egress.ip-permission.ipv6-cidr',
    'egress.ip-permission.prefix-list-id',
    'egress.ip-permission.to-port',
    'egress.ip-permission.user-id',
    'ip-permission.cidr',
    'ip-permission.from-port',
    'ip-permission.group-id',
    'ip-permission.group-name',
    'ip-permission.ipv6-cidr',
    'ip-permission.prefix-list-id',
    'ip-permission.protocol',
    'ip-permission.to-port',
    'ip-permission.user-id',
  ),
  'egress.ip-permission.cidr': () => '0.0.0.0/0',
  'egress.ip-permission.protocol': () => '-1',
  description: (group) => group.group_name,
  'group-id': (group) => group.group_id,
  'group-name': (group) => group.group_name,
  'vpc-id': (group) => group.vpc_id,
};

/** Shows the security groups of all VPCs. Without `strict_ids`, every id is that of a group. */
export const describeSecurityGroups: Action = {
  name: 'DescribeSecurityGroups',
  mutating: false,
  handle(call) {
    const page = pageRequest(call, { min: 5, max: 1000, notWith: 'GroupId' });
    const owned = { ...fields, 'owner-id': () => call.state.account };
    const filters = readFilters(call.params, owned, true);
    const ids = texts(call.params, 'GroupId');
    const names = texts(call.params, 'GroupName');
    const named = [...ids.map((id) => groupById(call, id)), ...names.map((name) => groupByName(call, name))];
    const { entries, next } = pageOf(
      (named.length > 0 ? named : call.state.network.groups()).filter((group) => passes(group, filters, owned)),
      page,
    );
    return itemSet('securityGroupInfo', entries, (group) => groupXml(group, call.state.account)) + nextTokenXml(next);
  },
};

function groupById(call: ActionCall, id: string): CatalogueSecurityGroup {
  if (!/^sg-[\w-]+$/.test(id))
    throw new AwsError('InvalidGroupId.Malformed', `Invalid id: "${id}" (expecting "sg-...")`);
  const known = call.state.network.group(id);
  if (known === undefined && call.knobs.strict_ids)
    throw new AwsError('InvalidGroup.NotFound', `The security group '${id}' does not exist`);
  return known ?? { group_id: id, group_name: id, vpc_id: call.state.network.catalogue.vpc_id };
}

function groupByName(call: ActionCall, name: string): CatalogueSecurityGroup {
  // AWS looks for a name in the default VPC alone.
  const { catalogue } = call.state.network;
  const known = call.state.network
    .groups()
    .find((group) => group.group_name === name && group.vpc_id === catalogue.vpc_id);
  if (known === undefined) throw new AwsError('InvalidGroup.NotFound', `The security group '${name}' does not exist`);
  return known;
}

const allTraffic =
  '<item><ipProtocol>-1</ipProtocol><groups/><ipRanges><item><cidrIp>0.0.0.0/0</cidrIp></item></ipRanges><ipv6Ranges/><prefixListIds/></item>';

function groupXml(group: CatalogueSecurityGroup, account: string): string {
  return (
    leaf('groupId', group.group_id) +
    leaf('groupName', group.group_name) +
    leaf('groupDescription', group.group_name) +
    leaf('vpcId', group.vpc_id) +
    leaf('ownerId', account) +
    `<ipPermissions/><ipPermissionsEgress>${allTraffic}</ipPermissionsEgress><tagSet/>`
  );
}
