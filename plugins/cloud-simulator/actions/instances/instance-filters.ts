import type { CallContext } from '../../state/call-context.ts';
import { type Instance, isLive, stateCodes, stateOf } from '../../state/instances/instance.ts';
import type { InstanceTable } from '../../state/instances/instance-table.ts';
import { type Filter, type FilterFields, withoutValue } from '../../wire/filters.ts';
import { text } from '../../wire/form.ts';
import { ipv6Address, privateAddress, privateName } from '../../state/instances/addresses.ts';

const spec = (instance: Instance) => instance.reservation.spec;
const groupIds = (instance: Instance) => spec(instance).network.groups.map((group) => group.id);
const groupNames = (instance: Instance) => spec(instance).network.groups.map((group) => group.name);

/** Values that are the same for every simulated machine. */
const constants = {
  hypervisor: 'xen',
  'ena-support': 'true',
  'metadata-options.state': 'applied',
  'operator.managed': 'false',
  'platform-details': 'Linux/UNIX',
  'root-device-name': '/dev/xvda',
  'root-device-type': 'ebs',
  'source-dest-check': 'true',
  'usage-operation': 'RunInstances',
  'virtualization-type': 'hvm',
};

const metadata = { 'http-endpoint': ['HttpEndpoint', 'enabled'], 'http-tokens': ['HttpTokens', 'optional'] } as const;

const unchanging: FilterFields<Instance> = {
  ...withoutValue(
    'affinity',
    'host-id',
    'kernel-id',
    'operator.principal',
    'outpost-arn',
    'platform',
    'product-code',
    'product-code.type',
    'ramdisk-id',
    'requester-id',
  ),
  ...Object.fromEntries(Object.entries(constants).map(([name, value]) => [name, () => value])),
  ...Object.fromEntries(
    Object.entries(metadata).map(([name, [key, usual]]) => [
      `metadata-options.${name}`,
      (instance: Instance) => text(spec(instance).metadata, key) ?? usual,
    ]),
  ),
  architecture: (i) => spec(i).type.arch,
  'capacity-reservation-id': (i) => spec(i).options.reservations?.id,
  'ebs-optimized': (i) => String(spec(i).options.ebsOptimized),
  'enclave-options.enabled': (i) => String(spec(i).options.enclave),
  'hibernation-options.configured': (i) => String(spec(i).options.hibernation),
  'monitoring-state': (i) => (spec(i).options.monitored ? 'enabled' : 'disabled'),
  'placement-group-name': (i) => spec(i).options.placementGroup?.name,
  'placement-partition-number': (i) => spec(i).options.partition?.toString(),
  tenancy: (i) => spec(i).options.tenancy,
  'availability-zone': (i) => i.zone,
  'client-token': (i) => i.reservation.token,
  'iam-instance-profile.arn': (i) => spec(i).profileArn,
  'image-id': (i) => spec(i).imageId,
  'instance-id': (i) => i.id,
  'instance-lifecycle': (i) => (spec(i).market === 'on-demand' ? undefined : spec(i).market),
  'instance-type': (i) => spec(i).type.instance_type,
  'instance.group-id': groupIds,
  'instance.group-name': groupNames,
  'key-name': (i) => spec(i).keyName,
  'launch-index': (i) => String(i.launchIndex),
  'launch-time': (i) => new Date(i.launchedAt).toISOString(),
  'reservation-id': (i) => i.reservation.id,
  'spot-instance-request-id': (i) => i.spotRequestId,
};

/** The filters of DescribeInstances, as of the time of the call. */
export function instanceFields({ state, now }: CallContext): FilterFields<Instance> {
  const { region, account, network } = state;
  const zoneIds = new Map(network.catalogue.zones.map((zone) => [zone.zone, zone.zone_id]));
  const connected = (instance: Instance) => stateOf(instance, now) !== 'terminated';
  const ended = (instance: Instance) => !isLive(instance, now);
  const address = (instance: Instance) => (connected(instance) ? privateAddress(instance) : undefined);
  const name = (instance: Instance) => (connected(instance) ? privateName(instance, region) : undefined);
  return {
    ...unchanging,
    'availability-zone-id': (i) => zoneIds.get(i.zone),
    'instance-state-code': (i) => String(stateCodes[stateOf(i, now)]),
    'instance-state-name': (i) => stateOf(i, now),
    'network-interface.availability-zone': (i) => (connected(i) ? i.zone : undefined),
    'network-interface.group-id': (i) => (connected(i) ? groupIds(i) : undefined),
    'network-interface.private-ip-address': address,
    'ipv6-address': (i) => (connected(i) ? ipv6Address(i) : undefined),
    'network-interface.subnet-id': (i) => (connected(i) ? i.subnet.id : undefined),
    'network-interface.vpc-id': (i) => (connected(i) ? i.subnet.vpcId : undefined),
    'owner-id': () => account,
    'private-dns-name': name,
    'private-ip-address': address,
    'state-reason-code': (i) => (ended(i) ? i.reason?.code : undefined),
    'state-reason-message': (i) => (ended(i) ? i.reason?.message : undefined),
    'subnet-id': (i) => (connected(i) ? i.subnet.id : undefined),
    'vpc-id': (i) => (connected(i) ? i.subnet.vpcId : undefined),
  };
}

/**
 * Machines after `place` that may pass the filters, in order of launch: from an index if a filter has exact ids, tag
 * values or tokens, else all. The caller still applies the filters.
 */
export function candidates(table: InstanceTable, filters: readonly Filter[], place: number): Iterable<Instance> {
  const narrowed = filters.filter((filter) => filter.exact).flatMap((filter) => lookUp(table, filter) ?? []);
  if (narrowed.length === 0) return table.after(place);
  const fewest = narrowed.reduce((best, next) => (next.count < best.count ? next : best));
  // A scan of the list stops when the page is full. A large index entry would have to be sorted completely for every
  // page.
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
