import { type Instance, type StateName, stateCodes, stateOf } from '../../state/instances/instance.ts';
import { ipv6Address, privateAddress, privateName } from '../../state/instances/addresses.ts';
import { tagSetXml } from '../../state/tags.ts';
import type { LaunchNetwork } from '../../launch/specification/launch-spec.ts';
import { attachmentXml, furtherInterfacesXml } from './further-interfaces-xml.ts';
import { launchXml, placementXml, volumesXml } from './launch-xml.ts';
import { itemSet, leaf, node } from './xml.ts';

/** The members of one machine as DescribeInstances and RunInstances show it. */
export function instanceXml(instance: Instance, region: string, now: number): string {
  const state = stateOf(instance, now);
  const { reservation } = instance;
  // A terminated machine has released its address and its network interface.
  const connected = state !== 'terminated';
  const launched = isoTime(instance.launchedAt);
  // `join` instead of concatenation, which would leave garbage for every small piece of a page.
  return [
    `<instanceId>${instance.id}</instanceId>${stateXmls[state]}<amiLaunchIndex>${instance.launchIndex}</amiLaunchIndex><launchTime>${launched}</launchTime>`,
    placementXml(reservation.spec, instance.subnet),
    launchXml(reservation.spec),
    connected
      ? networkXml(instance, region, state, launched)
      : '<privateDnsName/><dnsName/><groupSet/><networkInterfaceSet/><blockDeviceMapping/>',
    reservation.spec.market === 'on-demand' ? '' : leaf('instanceLifecycle', reservation.spec.market),
    leaf('spotInstanceRequestId', instance.spotRequestId),
    leaf('clientToken', reservation.token),
    reasonXml(instance, now),
    tagSetXml(instance.tags),
  ].join('');
}

export function stateXml(name: string, state: StateName): string {
  return `<${name}><code>${stateCodes[state]}</code><name>${state}</name></${name}>`;
}

function reasonXml(instance: Instance, now: number): string {
  if (instance.reason === undefined || now < (instance.shutdownAt as number)) return '<reason/>';
  const { code, message } = instance.reason;
  const when = new Date(instance.shutdownAt as number).toISOString().slice(0, 19).replace('T', ' ');
  const reason = code === 'Client.UserInitiatedShutdown' ? `User initiated (${when} GMT)` : code;
  return node('stateReason', leaf('code', code) + leaf('message', message)) + leaf('reason', reason);
}

function networkXml(instance: Instance, region: string, state: StateName, launched: string): string {
  const { subnet } = instance;
  const { network } = instance.reservation.spec;
  const address = privateAddress(instance);
  const name = privateName(instance, region);
  const publicAddress = network.publicAddress && state === 'running' ? address?.replace(/^10\./, '54.') : undefined;
  const groups = groupsXml(network.groups);
  const suffix = instance.id.slice(2);
  return (
    `<privateDnsName>${name}</privateDnsName>${publicAddress === undefined ? '<dnsName/>' : leaf('dnsName', publicDnsName(publicAddress, region)) + leaf('ipAddress', publicAddress)}` +
    `${leaf('privateIpAddress', address)}${leaf('ipv6Address', ipv6Address(instance))}<subnetId>${subnet.id}</subnetId><vpcId>${subnet.vpcId}</vpcId><sourceDestCheck>true</sourceDestCheck>${groups}` +
    `<networkInterfaceSet><item><networkInterfaceId>eni-${suffix}</networkInterfaceId><subnetId>${subnet.id}</subnetId><vpcId>${subnet.vpcId}</vpcId>` +
    `<status>in-use</status>${leaf('privateIpAddress', address)}<privateDnsName>${name}</privateDnsName><sourceDestCheck>true</sourceDestCheck>${groups}` +
    `${attachmentXml(suffix, 0, 0)}<interfaceType>${network.interfaces[0]?.type ?? 'interface'}</interfaceType>` +
    `${addressesXml(instance)}</item>${furtherInterfacesXml(network.interfaces, subnet, suffix, groups)}</networkInterfaceSet>` +
    volumesXml(instance.reservation.spec, suffix, launched)
  );
}

/** The addresses of the network interface of a machine. */
function addressesXml(instance: Instance): string {
  const ipv6 = ipv6Address(instance);
  return ipv6 === undefined
    ? `<privateIpAddressesSet><item><privateIpAddress>${privateAddress(instance)}</privateIpAddress><primary>true</primary></item></privateIpAddressesSet>`
    : `<ipv6AddressesSet><item><ipv6Address>${ipv6}</ipv6Address></item></ipv6AddressesSet>`;
}

const stateXmls = Object.fromEntries(
  (Object.keys(stateCodes) as StateName[]).map((state) => [state, stateXml('instanceState', state)]),
) as Readonly<Record<StateName, string>>;

let lastTime = Number.NaN;
let lastIso = '';

function isoTime(at: number): string {
  if (at !== lastTime) lastIso = new Date(at).toISOString();
  lastTime = at;
  return lastIso;
}

type Groups = LaunchNetwork['groups'];

let lastGroups: Groups = [];
let lastGroupsXml = '<groupSet/>';

function groupsXml(groups: Groups): string {
  const same = groups.length === lastGroups.length && groups.every((group, index) => group === lastGroups[index]);
  if (!same)
    lastGroupsXml = itemSet('groupSet', groups, (group) => leaf('groupId', group.id) + leaf('groupName', group.name));
  lastGroups = groups;
  return lastGroupsXml;
}

function publicDnsName(address: string, region: string): string {
  const host = `ec2-${address.replaceAll('.', '-')}`;
  return region === 'us-east-1' ? `${host}.compute-1.amazonaws.com` : `${host}.${region}.compute.amazonaws.com`;
}
