import { isDeepStrictEqual } from 'node:util';
import { rootDevice } from '../../launch/specification/launch-volumes.ts';
import type { LaunchSpec } from '../../launch/specification/launch-spec.ts';
import { type Instance, volumeId } from '../../state/instances/instance.ts';
import type { Subnet } from '../../state/network/subnets.ts';
import { text } from '../form.ts';
import { leaf, node } from './xml.ts';

/** The id of every instance profile. */
export const profileId = 'AIPASIMULATEDPROFILE00';

let last: LaunchSpec | undefined;
let lastXml = '';

/**
 * The XML that is the same for all machines of a launch. Consecutive launches of one machine are mostly alike, so the
 * last text is reused.
 */
export function launchXml(spec: LaunchSpec): string {
  if (last === undefined || !resembles(spec, last)) lastXml = render(spec);
  last = spec;
  return lastXml;
}

function resembles(a: LaunchSpec, b: LaunchSpec): boolean {
  if (a === b) return true;
  const same =
    a.imageId === b.imageId && a.type === b.type && a.keyName === b.keyName && a.profileArn === b.profileArn;
  return same && a.options === b.options && (a.metadata === b.metadata || isDeepStrictEqual(a.metadata, b.metadata));
}

function render(spec: LaunchSpec): string {
  const { type, options } = spec;
  const { cpu, reservations } = options;
  return [
    leaf('imageId', spec.imageId),
    leaf('instanceType', type.instance_type),
    leaf('keyName', spec.keyName),
    leaf('architecture', type.arch),
    node('monitoring', leaf('state', options.monitored ? 'enabled' : 'disabled')),
    '<rootDeviceType>ebs</rootDeviceType>',
    leaf('rootDeviceName', rootDevice),
    '<virtualizationType>hvm</virtualizationType><hypervisor>xen</hypervisor>',
    leaf('ebsOptimized', options.ebsOptimized),
    '<enaSupport>true</enaSupport><productCodes/><platformDetails>Linux/UNIX</platformDetails><usageOperation>RunInstances</usageOperation>',
    node(
      'cpuOptions',
      leaf('coreCount', cpu?.cores ?? type.cores) + leaf('threadsPerCore', cpu?.threads ?? type.vcpus / type.cores),
    ),
    leaf('capacityReservationId', reservations?.id),
    node(
      'capacityReservationSpecification',
      reservations?.id === undefined && reservations?.groupArn === undefined
        ? leaf('capacityReservationPreference', reservations?.preference ?? 'open')
        : node(
            'capacityReservationTarget',
            leaf('capacityReservationId', reservations.id) +
              leaf('capacityReservationResourceGroupArn', reservations.groupArn),
          ),
    ),
    node('hibernationOptions', leaf('configured', options.hibernation)),
    node('enclaveOptions', leaf('enabled', options.enclave)),
    spec.profileArn === undefined
      ? ''
      : node('iamInstanceProfile', leaf('arn', spec.profileArn) + leaf('id', profileId)),
    metadataXml(spec),
  ].join('');
}

function metadataXml({ metadata }: LaunchSpec): string {
  return node(
    'metadataOptions',
    leaf('state', 'applied') +
      leaf('httpTokens', text(metadata, 'HttpTokens') ?? 'optional') +
      leaf('httpPutResponseHopLimit', text(metadata, 'HttpPutResponseHopLimit') ?? 1) +
      leaf('httpEndpoint', text(metadata, 'HttpEndpoint') ?? 'enabled') +
      leaf('httpProtocolIpv6', text(metadata, 'HttpProtocolIpv6') ?? 'disabled') +
      leaf('instanceMetadataTags', text(metadata, 'InstanceMetadataTags') ?? 'disabled'),
  );
}

let lastSubnet: Subnet | undefined;
let lastOptions: LaunchSpec['options'] | undefined;
let lastPlacementXml = '';

/** `<placement>` of a machine in a subnet. */
export function placementXml({ options }: LaunchSpec, subnet: Subnet): string {
  if (options === lastOptions && subnet === lastSubnet) return lastPlacementXml;
  lastOptions = options;
  lastSubnet = subnet;
  const { placementGroup, partition, tenancy } = options;
  const members = [
    leaf('availabilityZone', subnet.zone),
    leaf('availabilityZoneId', subnet.zoneId),
    leaf('groupName', placementGroup?.name ?? ''),
    leaf('groupId', placementGroup?.id),
    leaf('partitionNumber', partition),
    leaf('tenancy', tenancy),
  ];
  lastPlacementXml = ['<placement>', ...members, '</placement>'].join('');
  return lastPlacementXml;
}

/** `<blockDeviceMapping>` of a machine. */
export function volumesXml(instance: Instance, attached: string): string {
  const items = instance.reservation.spec.volumes.map(
    ({ device, deleteOnTermination }, index) =>
      `<item>${leaf('deviceName', device)}<ebs><volumeId>${volumeId(instance, index)}</volumeId><status>attached</status><attachTime>${attached}</attachTime><deleteOnTermination>${deleteOnTermination}</deleteOnTermination></ebs></item>`,
  );
  return node('blockDeviceMapping', items.join(''));
}
