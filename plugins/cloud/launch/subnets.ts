import type { Subnet } from '@aws-sdk/client-ec2';
import { chunks, isFault, type Call } from '../../../core/index.ts';
import { type Memo, once } from '../connection/once.ts';
import type { CloudSession } from '../connection/session.ts';
import { sessionField } from '../connection/session-field.ts';

/** The most values of a filter. */
const maxValues = 200;

const zonesMemo = sessionField((): Memo<ReadonlyMap<string, string>> => new Map());

/**
 * The zones of subnets. Read only when there are several subnets, and once: an incomplete answer is read again for the
 * next order. Unknown subnets are left out.
 */
export async function zonesOfSubnets(
  session: CloudSession,
  subnets: Iterable<string>,
  call: Call,
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(subnets)].toSorted();
  if (ids.length < 2) return new Map();
  const memo = zonesMemo(session);
  const zones = await once(memo, ids.join(), async () => {
    const found = await describeSubnets(session, ids, call);
    return new Map(found.map((subnet) => [subnet.SubnetId ?? '', subnet.AvailabilityZone ?? '']));
  });
  if (zones.size < ids.length && memo.get(ids.join()) === zones) memo.delete(ids.join());
  return zones;
}

/**
 * The number of machines that subnets have addresses for now. A subnet without IPv4 has any number. Unknown subnets
 * are left out.
 */
export async function freeAddressesOf(
  session: CloudSession,
  ids: readonly string[],
  call: Call,
): Promise<ReadonlyMap<string, number>> {
  const found = await describeSubnets(session, ids, call);
  return new Map(
    found.map(({ SubnetId = '', Ipv6Native, AvailableIpAddressCount = 0 }) => [
      SubnetId,
      Ipv6Native ? Infinity : AvailableIpAddressCount,
    ]),
  );
}

async function describeSubnets(session: CloudSession, ids: readonly string[], call: Call): Promise<readonly Subnet[]> {
  const ask = (input: object) => session.read((ec2) => new ec2.DescribeSubnetsCommand(input), call);
  try {
    return (await ask({ SubnetIds: [...ids] })).Subnets ?? [];
  } catch (error) {
    if (!isFault(error)) throw error;
    // The launch works without the zones, and reports a subnet that does not exist as an error of its pool.
    if (error.code === 'UnauthorizedOperation') {
      call.log.warn({ code: error.code }, `The zones of the subnets cannot be read. ${error.message}`);
      return [];
    }
    if (error.code !== 'InvalidSubnetID.NotFound') throw error;
    const found: Subnet[] = [];
    for (const Values of chunks([...ids], maxValues))
      found.push(...((await ask({ Filters: [{ Name: 'subnet-id', Values }] })).Subnets ?? []));
    return found;
  }
}
