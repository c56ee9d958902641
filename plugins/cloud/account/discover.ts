import type { Tag } from '@aws-sdk/client-ec2';
import { isFault, mostListed, type AccountContents, type AccountList, type Call } from '../../../core/index.ts';
import { pagesOf } from '../connection/answers/pages.ts';
import type { CloudSession } from '../connection/session.ts';
import { isDenied } from '../faults/denied.ts';
import { publicImages } from './public-images.ts';

/** What templates can name in the account and the region of a session. */
export async function discover(session: CloudSession, call: Call): Promise<AccountContents> {
  const incomplete: AccountContents['incomplete'] = [];

  /** The entries of all pages, at most as many as the contract allows. A list that may not be read is incomplete. */
  async function listed<T>(list: AccountList, permission: string, entries: AsyncIterable<T>): Promise<T[]> {
    const found: T[] = [];
    try {
      for await (const entry of entries) {
        if (found.length < mostListed) found.push(entry);
        else {
          incomplete.push({ list, message: `The account has more; only the first ${mostListed} are shown.` });
          break;
        }
      }
    } catch (error) {
      if (!isFault(error) || !isDenied(error)) throw error;
      incomplete.push({ list, message: `The permission ${permission} is missing. ${error.message}` });
    }
    return found;
  }

  const [networks, subnets, security_groups, key_pairs, images] = await Promise.all([
    listed('networks', 'ec2:DescribeVpcs', networksOf(session, call)),
    listed('subnets', 'ec2:DescribeSubnets', subnetsOf(session, call)),
    listed('security_groups', 'ec2:DescribeSecurityGroups', groupsOf(session, call)),
    listed('key_pairs', 'ec2:DescribeKeyPairs', keyPairsOf(session, call)),
    listed('images', 'ssm:GetParameters', imagesOf(session, call)),
  ]);
  return {
    networks: networks.toSorted((a, b) => Number(b.is_default) - Number(a.is_default)),
    subnets: subnets.toSorted((a, b) => compare(a.zone ?? '', b.zone ?? '') || compare(a.id, b.id)),
    security_groups,
    key_pairs,
    images,
    incomplete,
  };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const nameIn = (tags: readonly Tag[] | undefined): string | null =>
  tags?.find(({ Key }) => Key === 'Name')?.Value?.slice(0, 255) || null;

type Entry<List extends AccountList> = AccountContents[List][number];

async function* networksOf(session: CloudSession, call: Call): AsyncGenerator<Entry<'networks'>> {
  for await (const { Vpcs = [] } of pagesOf((next) =>
    session.read((ec2) => new ec2.DescribeVpcsCommand({ MaxResults: 1_000, ...next }), call),
  ))
    for (const { VpcId: id = '', CidrBlock = null, IsDefault = false, Tags } of Vpcs)
      yield { id, name: nameIn(Tags), address_block: CidrBlock, is_default: IsDefault };
}

async function* subnetsOf(session: CloudSession, call: Call): AsyncGenerator<Entry<'subnets'>> {
  for await (const { Subnets = [] } of pagesOf((next) =>
    session.read((ec2) => new ec2.DescribeSubnetsCommand({ MaxResults: 1_000, ...next }), call),
  ))
    for (const { SubnetId, VpcId, AvailabilityZone = null, CidrBlock, AvailableIpAddressCount, ...more } of Subnets)
      yield {
        id: SubnetId ?? '',
        name: nameIn(more.Tags),
        network_id: VpcId ?? '',
        zone: AvailabilityZone,
        address_block: CidrBlock ?? more.Ipv6CidrBlockAssociationSet?.[0]?.Ipv6CidrBlock ?? null,
        // EC2 counts no addresses of a subnet that has IPv6 alone.
        free_addresses: more.Ipv6Native ? null : (AvailableIpAddressCount ?? null),
      };
}

async function* groupsOf(session: CloudSession, call: Call): AsyncGenerator<Entry<'security_groups'>> {
  for await (const { SecurityGroups = [] } of pagesOf((next) =>
    session.read((ec2) => new ec2.DescribeSecurityGroupsCommand({ MaxResults: 1_000, ...next }), call),
  ))
    for (const { GroupId: id = '', GroupName = null, VpcId = null } of SecurityGroups)
      yield { id, name: GroupName, network_id: VpcId };
}

async function* keyPairsOf(session: CloudSession, call: Call): AsyncGenerator<Entry<'key_pairs'>> {
  // EC2 answers in one page.
  const { KeyPairs = [] } = await session.read((ec2) => new ec2.DescribeKeyPairsCommand({}), call);
  for (const { KeyName } of KeyPairs) if (KeyName) yield { name: KeyName };
}

async function* imagesOf(session: CloudSession, call: Call): AsyncGenerator<Entry<'images'>> {
  const Names = publicImages.map(({ parameter }) => parameter);
  const { Parameters = [] } = await session.parameters.read((ssm) => new ssm.GetParametersCommand({ Names }), call);
  // A region of another partition lacks some of them.
  const found = new Set(Parameters.map(({ Name }) => Name));
  for (const { parameter, description, arch } of publicImages)
    if (found.has(parameter)) yield { image_id: `resolve:ssm:${parameter}`, description, arch };
}
