import type { CallContext } from '../../state/call-context.ts';
import { type Instance, reasonOf, stateCodes, stateOf, volumeId } from '../../state/instances/instance.ts';
import type { LaunchVolume } from '../../launch/specification/launch-volumes.ts';
import type { InstanceTable } from '../../state/instances/instance-table.ts';
import { type Filter, type FilterFields, withoutValue } from '../../wire/filters.ts';
import { text } from '../../wire/form.ts';
import { reasonText } from '../../wire/xml/instance-xml.ts';
import { profileId } from '../../wire/xml/launch-xml.ts';
import { interfaceOf } from '../../wire/xml/interface-xml.ts';
import { interfaceFields } from './interface-filters.ts';

const spec = (instance: Instance) => instance.reservation.spec;
const groupIds = (instance: Instance) => spec(instance).network.groups.map((group) => group.id);
const groupNames = (instance: Instance) => spec(instance).network.groups.map((group) => group.name);

/** Values that are the same for every simulated machine. */
const constants = {
  'current-instance-boot-mode': 'legacy-bios',
  hypervisor: 'xen',
  'ena-support': 'true',
  'maintenance-options.auto-recovery': 'default',
  'metadata-options.http-protocol-ipv4': 'enabled',
  'metadata-options.state': 'applied',
  'network-performance-options.bandwidth-weighting': 'default',
  'operator.managed': 'false',
  'platform-details': 'Linux/UNIX',
  'private-dns-name-options.enable-resource-name-dns-a-record': 'false',
  'private-dns-name-options.enable-resource-name-dns-aaaa-record': 'false',
  'private-dns-name-options.hostname-type': 'ip-name',
  'root-device-name': '/dev/xvda',
  'root-device-type': 'ebs',
  'usage-operation': 'RunInstances',
  'virtualization-type': 'hvm',
};

const metadata = {
  'http-endpoint': ['HttpEndpoint', 'enabled'],
  'http-protocol-ipv6': ['HttpProtocolIpv6', 'disabled'],
  'http-put-response-hop-limit': ['HttpPutResponseHopLimit', '1'],
  'http-tokens': ['HttpTokens', 'optional'],
  'instance-metadata-tags': ['InstanceMetadataTags', 'disabled'],
} as const;

const unchanging: FilterFields<Instance> = {
  ...withoutValue(
    'affinity',
    'boot-mode',
    'host-id',
    'kernel-id',
    'operator.principal',
    'outpost-arn',
    'platform',
    'product-code',
    'product-code.type',
    'ramdisk-id',
    'requester-id',
    'tpm-support',
  ),
  ...Object.fromEntries(Object.entries(constants).map(([name, value]) => [name, () => value])),
  ...Object.fromEntries(
    Object.entries(metadata).map(([name, [key, usual]]) => [
      `metadata-options.${name}`,
      (instance: Instance) => text(spec(instance).metadata, key) ?? usual,
    ]),
  ),
  architecture: (i) => spec(i).type.arch,
  'block-device-mapping.attach-time': (i) => volumes(i, () => iso(i.launchedAt)),
  'block-device-mapping.delete-on-termination': (i) => volumes(i, (one) => String(one.deleteOnTermination)),
  'block-device-mapping.device-name': (i) => volumes(i, (one) => one.device),
  'block-device-mapping.status': (i) => volumes(i, () => 'attached'),
  'block-device-mapping.volume-id': (i) => volumes(i, (_, index) => volumeId(i, index)),
  'capacity-reservation-specification.capacity-reservation-preference': (i) => {
    const given = spec(i).options.reservations;
    return given?.id === undefined && given?.groupArn === undefined ? (given?.preference ?? 'open') : undefined;
  },
  'capacity-reservation-specification.capacity-reservation-target.capacity-reservation-id': (i) =>
    spec(i).options.reservations?.id,
  'capacity-reservation-specification.capacity-reservation-target.capacity-reservation-resource-group-arn': (i) =>
    spec(i).options.reservations?.groupArn,
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
  'iam-instance-profile.id': (i) => (spec(i).profileArn === undefined ? undefined : profileId),
  'image-id': (i) => spec(i).imageId,
  'instance-id': (i) => i.id,
  'instance-lifecycle': (i) => (spec(i).market === 'on-demand' ? undefined : spec(i).market),
  'instance-type': (i) => spec(i).type.instance_type,
  'instance.group-id': groupIds,
  'instance.group-name': groupNames,
  'key-name': (i) => spec(i).keyName,
  'launch-index': (i) => String(i.launchIndex),
  'launch-time': (i) => iso(i.startedAt),
  'reservation-id': (i) => i.reservation.id,
  'source-dest-check': (i) => String(spec(i).options.sourceDestCheck),
  'spot-instance-request-id': (i) => i.spotRequestId,
  'usage-operation-update-time': (i) => iso(i.launchedAt),
};

// What DescribeNetworkInterfaces filters by, and DescribeInstances does not.
const interfacesOnly = new Set(['addresses.association.owner-id', 'availability-zone-id', 'interface-type']);

function prefixed(prefix: string, fields: FilterFields<Instance>): FilterFields<Instance> {
  const entries = Object.entries(fields).filter(([name]) => !interfacesOnly.has(name));
  return Object.fromEntries(entries.map(([name, value]) => [`${prefix}${name}`, value]));
}

function volumes(instance: Instance, value: (volume: LaunchVolume, index: number) => string): string[] {
  return spec(instance).volumes.map(value);
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

/** The filters of DescribeInstances, as of the time of the call. */
export function instanceFields(context: CallContext): FilterFields<Instance> {
  const { state, now } = context;
  const { region, account, network } = state;
  const zoneIds = new Map(network.catalogue.zones.map((zone) => [zone.zone, zone.zone_id]));
  const connected = (instance: Instance) => stateOf(instance, now) !== 'terminated';
  const at = (instance: Instance) => interfaceOf(instance, region, now);
  return {
    ...unchanging,
    'availability-zone-id': (i) => zoneIds.get(i.zone),
    'instance-state-code': (i) => String(stateCodes[stateOf(i, now)]),
    'instance-state-name': (i) => stateOf(i, now),
    ...prefixed('network-interface.', interfaceFields(context)),
    'dns-name': (i) => at(i)?.publicDnsName,
    'ip-address': (i) => at(i)?.publicAddress,
    'ipv6-address': (i) => at(i)?.ipv6Address,
    'owner-id': () => account,
    'private-dns-name': (i) => at(i)?.privateDnsName,
    'private-ip-address': (i) => at(i)?.addresses[0],
    reason: (i) => reasonText(i, now),
    'state-reason-code': (i) => reasonOf(i, now)?.code,
    'state-reason-message': (i) => reasonOf(i, now)?.message,
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
