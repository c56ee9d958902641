import { type Instance, stateCodes, stateOf } from '../../state/instance.ts';
import type { InstanceTable } from '../../state/instance-table.ts';
import type { Filter, FilterFields } from '../../wire/filters.ts';
import { privateDnsName } from '../../wire/instance-xml.ts';

const spec = (instance: Instance) => instance.reservation.spec;
const groupIds = (instance: Instance) => spec(instance).network.groups.map((group) => group.id);
const groupNames = (instance: Instance) => spec(instance).network.groups.map((group) => group.name);

/** The filters of DescribeInstances, as of a region and a time. */
export function instanceFields(region: string, account: string, now: number): FilterFields<Instance> {
  const connected = (instance: Instance) => stateOf(instance, now) !== 'terminated';
  const address = (instance: Instance) => (connected(instance) ? instance.subnet.address(instance.address) : undefined);
  return {
    architecture: (i) => spec(i).type.arch,
    'availability-zone': (i) => i.zone,
    'client-token': (i) => i.reservation.token,
    'iam-instance-profile.arn': (i) => spec(i).profileArn,
    'image-id': (i) => spec(i).imageId,
    'instance-id': (i) => i.id,
    'instance-lifecycle': (i) => (spec(i).market === 'spot' ? 'spot' : undefined),
    'instance-state-code': (i) => String(stateCodes[stateOf(i, now)]),
    'instance-state-name': (i) => stateOf(i, now),
    'instance-type': (i) => spec(i).type.instance_type,
    'instance.group-id': groupIds,
    'instance.group-name': groupNames,
    'key-name': (i) => spec(i).keyName,
    'launch-index': (i) => String(i.launchIndex),
    'launch-time': (i) => new Date(i.launchedAt).toISOString(),
    'owner-id': () => account,
    'private-dns-name': (i) => {
      const at = address(i);
      return at === undefined ? undefined : privateDnsName(at, region);
    },
    'private-ip-address': address,
    'reservation-id': (i) => i.reservation.id,
    'spot-instance-request-id': (i) => i.spotRequestId,
    'state-reason-code': (i) => (stateOf(i, now) === 'pending' || stateOf(i, now) === 'running' ? undefined : i.reason?.code),
    'subnet-id': (i) => (connected(i) ? i.subnet.id : undefined),
    'vpc-id': (i) => (connected(i) ? i.subnet.vpcId : undefined),
  };
}

/**
 * Machines behind `place` that can pass the filters, in order of launch: from an index when a filter names ids, a tag or tokens exactly,
 * else all. The filters themselves are still to be applied.
 */
export function candidates(table: InstanceTable, filters: readonly Filter[], place: number): Iterable<Instance> {
  const narrowed = filters.filter((filter) => filter.exact).flatMap((filter) => lookUp(table, filter) ?? []);
  if (narrowed.length === 0) return table.after(place);
  const fewest = narrowed.reduce((best, next) => (next.count < best.count ? next : best));
  // Walking along the list ends with the page; an index entry of about as many machines would have to be sorted whole for every page.
  if (fewest.count > table.size / 4) return table.after(place);
  const found = new Set<Instance>();
  for (const set of fewest.sets) for (const instance of set) if (instance.place > place) found.add(instance);
  return [...found].toSorted((a, b) => a.place - b.place);
}

interface LookUp {
  readonly count: number;
  readonly sets: readonly Iterable<Instance>[];
}

function lookUp(table: InstanceTable, filter: Filter): LookUp | undefined {
  if (filter.name === 'instance-id') {
    const found = filter.values.flatMap((id) => table.get(id) ?? []);
    return { count: found.length, sets: [found] };
  }
  const index =
    filter.name === 'client-token'
      ? table.byToken
      : filter.name.startsWith('tag:')
        ? tagIndex(table, filter.name.slice('tag:'.length))
        : undefined;
  if (index === undefined) return undefined;
  const sets = filter.values.map(index);
  return { count: sets.reduce((sum, set) => sum + set.size, 0), sets };
}

function tagIndex(table: InstanceTable, key: string): (value: string) => ReadonlySet<Instance> {
  return (value) => table.byTag(key, value);
}
