import type { Subnet } from '@aws-sdk/client-ec2';
import { chunks, isFault, type Call, type CheckResult, type ProviderCheck } from '../../../core/index.ts';
import { pagesOf } from '../connection/answers/pages.ts';
import type { CloudSession } from '../connection/session.ts';
import type { CloudTemplate } from '../template/fields.ts';
import { cloudTemplates, counted, error, named, ok, unlessDenied, usersOf, warning } from './results.ts';

/** Whether the subnets exist, have free addresses, and are in the network of the security groups. */
export const subnetsCheck: ProviderCheck<CloudSession> = {
  name: 'subnets',
  why: 'A machine starts in a subnet that exists, has a free address, and is in the VPC of its security groups.',
  remedy: 'Correct subnet_ids and security_group_ids; muster providers discover INSTANCE lists what the account has.',
  run: (session, checked, call) =>
    unlessDenied('The subnets', 'ec2:DescribeSubnets and ec2:DescribeSecurityGroups', async () => {
      const templates = cloudTemplates(checked);
      const users = usersOf(templates, ({ subnet_ids = [] }) => subnet_ids);
      const subnets = await subnetsNamed(session, [...users.keys()], call);
      const groupUsers = usersOf(templates, ({ security_group_ids = [] }) => security_group_ids);
      const vpcs = await vpcsOfGroups(session, [...groupUsers.keys()], call);
      const missing = [
        ...[...users].flatMap(([id, of]) =>
          subnets.has(id) ? [] : [error(`There is no subnet ${id}: ${named(of)}.`)],
        ),
        ...[...groupUsers].flatMap(([id, of]) =>
          vpcs.has(id) ? [] : [error(`There is no security group ${id}: ${named(of)}.`)],
        ),
      ];
      const full = [...users].flatMap(([id, of]) => {
        const { AvailableIpAddressCount, Ipv6Native, AvailabilityZone } = subnets.get(id) ?? {};
        return AvailableIpAddressCount === 0 && !Ipv6Native
          ? [warning(`Subnet ${id} (${AvailabilityZone}) has no free address: ${named(of)}.`)]
          : [];
      });
      const ofTemplates = templates.flatMap((template) => placeOf(template, subnets, vpcs));
      const found = [...missing, ...full, ...ofTemplates];
      if (found.length > 0) return found;
      const free = [...subnets.values()].reduce(
        (sum, { AvailableIpAddressCount = 0 }) => sum + AvailableIpAddressCount,
        0,
      );
      return subnets.size === 0
        ? openPlace(session, templates, call)
        : [ok(`${counted(subnets.size, 'subnet')} with ${free} free addresses.`)];
    }),
};

/** What is wrong with the subnets and groups of one template together. */
function placeOf(
  { template_id, subnet_ids = [], security_group_ids = [] }: CloudTemplate,
  subnets: ReadonlyMap<string, Subnet>,
  vpcs: ReadonlyMap<string, string>,
): readonly CheckResult[] {
  const own = subnet_ids.flatMap((id) => subnets.get(id) ?? []);
  const isFull = ({ AvailableIpAddressCount, Ipv6Native }: Subnet) => AvailableIpAddressCount === 0 && !Ipv6Native;
  const strange = security_group_ids.flatMap((group) =>
    own
      .filter(({ VpcId }) => vpcs.has(group) && VpcId !== vpcs.get(group))
      .map(({ SubnetId, VpcId }) =>
        error(
          `Template '${template_id}': security group ${group} is in ${vpcs.get(group)}, and subnet ${SubnetId} in ${VpcId}.`,
        ),
      ),
  );
  return [
    ...(own.length > 0 && own.every(isFull)
      ? [error(`Template '${template_id}': none of its subnets has a free address.`)]
      : []),
    ...strange,
  ];
}

/** Templates without subnets start in the default VPC. */
async function openPlace(
  session: CloudSession,
  templates: readonly CloudTemplate[],
  call: Call,
): Promise<readonly CheckResult[]> {
  const open = templates.filter(
    ({ launch_template_id, network_interfaces }) => !launch_template_id && !network_interfaces,
  );
  if (open.length === 0) return [];
  const Filters = [{ Name: 'default-for-az', Values: ['true'] }];
  const { Subnets = [] } = await session.read((ec2) => new ec2.DescribeSubnetsCommand({ Filters }), call);
  return Subnets.length > 0
    ? [ok(`The templates name no subnets: machines start in the ${Subnets.length} default subnets.`)]
    : [error(`There is no default VPC, and no subnet is named: ${named(open)}.`)];
}

/** The most values of a filter. */
const maxValues = 200;

async function subnetsNamed(
  session: CloudSession,
  ids: readonly string[],
  call: Call,
): Promise<ReadonlyMap<string, Subnet>> {
  const found = new Map<string, Subnet>();
  for (const Values of chunks([...ids], maxValues))
    for await (const { Subnets = [] } of pagesOf((next) =>
      session.read(
        (ec2) => new ec2.DescribeSubnetsCommand({ Filters: [{ Name: 'subnet-id', Values }], ...next }),
        call,
      ),
    ))
      for (const subnet of Subnets) found.set(subnet.SubnetId ?? '', subnet);
  for (const id of missingIn(ids, found)) {
    const known = await unlessGone(() =>
      session.read((ec2) => new ec2.DescribeSubnetsCommand({ SubnetIds: [id] }), call),
    );
    for (const subnet of known?.Subnets ?? []) found.set(id, subnet);
  }
  return found;
}

/** The VPC of each security group that exists. */
async function vpcsOfGroups(
  session: CloudSession,
  ids: readonly string[],
  call: Call,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const Values of chunks([...ids], maxValues))
    for await (const { SecurityGroups = [] } of pagesOf((next) =>
      session.read(
        (ec2) => new ec2.DescribeSecurityGroupsCommand({ Filters: [{ Name: 'group-id', Values }], ...next }),
        call,
      ),
    ))
      for (const { GroupId = '', VpcId = '' } of SecurityGroups) found.set(GroupId, VpcId);
  for (const id of missingIn(ids, found)) {
    const known = await unlessGone(() =>
      session.read((ec2) => new ec2.DescribeSecurityGroupsCommand({ GroupIds: [id] }), call),
    );
    for (const { VpcId = '' } of known?.SecurityGroups ?? []) found.set(id, VpcId);
  }
  return found;
}

/** The most ids that are asked for one by one. */
const mostAlone = 50;

/**
 * Ids that a list by filter does not contain. Each is asked for by itself: a list may lag behind, and the simulated
 * cloud makes what is named.
 */
const missingIn = (ids: readonly string[], found: ReadonlyMap<string, unknown>): readonly string[] =>
  ids.filter((id) => !found.has(id)).slice(0, mostAlone);

/** The answer; undefined when what the call names does not exist. */
async function unlessGone<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (fault) {
    if (isFault(fault) && /NotFound|Malformed/.test(fault.code)) return undefined;
    throw fault;
  }
}
