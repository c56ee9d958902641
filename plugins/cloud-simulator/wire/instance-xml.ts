import { type Instance, type StateName, stateCodes, stateOf } from '../state/instance.ts';
import { tagSetXml } from '../state/tags.ts';
import type { LaunchSpec } from '../launch/launch-spec.ts';
import { text } from './form.ts';
import { itemSet, leaf, node, rememberLast, timestamp } from './xml.ts';

/** The members of one machine as DescribeInstances and RunInstances show it. */
export function instanceXml(instance: Instance, region: string, now: number): string {
  const state = stateOf(instance, now);
  const { reservation } = instance;
  // A terminated machine has given its address and its place in the network back.
  const connected = state !== 'terminated';
  return (
    leaf('instanceId', instance.id) +
    stateXml('instanceState', state) +
    leaf('amiLaunchIndex', instance.launchIndex) +
    timestamp('launchTime', instance.launchedAt) +
    `<placement><availabilityZone>${instance.zone}</availabilityZone><groupName></groupName><tenancy>default</tenancy></placement>` +
    sharedXml(reservation.spec) +
    (connected
      ? networkXml(instance, region, state)
      : '<privateDnsName/><dnsName/><groupSet/><networkInterfaceSet/><blockDeviceMapping/>') +
    (instance.spotRequestId === undefined
      ? ''
      : `<instanceLifecycle>spot</instanceLifecycle>${leaf('spotInstanceRequestId', instance.spotRequestId)}`) +
    leaf('clientToken', reservation.token) +
    reasonXml(instance, now) +
    tagSetXml(instance.tags)
  );
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

/** What is the same for all machines of a launch. */
const sharedXml = rememberLast((spec: LaunchSpec) => {
  const { type } = spec;
  const metadata = node(
    'metadataOptions',
    leaf('state', 'applied') +
      leaf('httpTokens', text(spec.metadata, 'HttpTokens') ?? 'optional') +
      leaf('httpPutResponseHopLimit', text(spec.metadata, 'HttpPutResponseHopLimit') ?? 1) +
      leaf('httpEndpoint', text(spec.metadata, 'HttpEndpoint') ?? 'enabled') +
      leaf('httpProtocolIpv6', text(spec.metadata, 'HttpProtocolIpv6') ?? 'disabled') +
      leaf('instanceMetadataTags', text(spec.metadata, 'InstanceMetadataTags') ?? 'disabled'),
  );
  return (
    leaf('imageId', spec.imageId) +
    leaf('instanceType', type.instance_type) +
    leaf('keyName', spec.keyName) +
    leaf('architecture', type.arch) +
    '<monitoring><state>disabled</state></monitoring><rootDeviceType>ebs</rootDeviceType><rootDeviceName>/dev/xvda</rootDeviceName>' +
    '<virtualizationType>hvm</virtualizationType><hypervisor>xen</hypervisor><ebsOptimized>false</ebsOptimized><enaSupport>true</enaSupport>' +
    '<productCodes/><platformDetails>Linux/UNIX</platformDetails><usageOperation>RunInstances</usageOperation>' +
    node('cpuOptions', leaf('coreCount', type.cores) + leaf('threadsPerCore', type.vcpus / type.cores)) +
    (spec.profileArn === undefined ? '' : node('iamInstanceProfile', leaf('arn', spec.profileArn) + leaf('id', 'AIPASIMULATEDPROFILE00'))) +
    metadata
  );
});

function networkXml(instance: Instance, region: string, state: StateName): string {
  const { subnet } = instance;
  const { network } = instance.reservation.spec;
  const address = subnet.address(instance.address);
  const privateName = privateDnsName(address, region);
  const publicAddress = network.publicAddress && state === 'running' ? address.replace(/^10\./, '54.') : undefined;
  const groups = itemSet('groupSet', network.groups, (group) => leaf('groupId', group.id) + leaf('groupName', group.name));
  const suffix = instance.id.slice(2);
  return (
    `<privateDnsName>${privateName}</privateDnsName>${publicAddress === undefined ? '<dnsName/>' : leaf('dnsName', publicDnsName(publicAddress, region)) + leaf('ipAddress', publicAddress)}` +
    `<privateIpAddress>${address}</privateIpAddress><subnetId>${subnet.id}</subnetId><vpcId>${subnet.vpcId}</vpcId><sourceDestCheck>true</sourceDestCheck>${groups}` +
    `<networkInterfaceSet><item><networkInterfaceId>eni-${suffix}</networkInterfaceId><subnetId>${subnet.id}</subnetId><vpcId>${subnet.vpcId}</vpcId>` +
    `<status>in-use</status><privateIpAddress>${address}</privateIpAddress><privateDnsName>${privateName}</privateDnsName><sourceDestCheck>true</sourceDestCheck>${groups}` +
    `<attachment><attachmentId>eni-attach-${suffix}</attachmentId><deviceIndex>0</deviceIndex><status>attached</status><deleteOnTermination>true</deleteOnTermination></attachment>` +
    `<privateIpAddressesSet><item><privateIpAddress>${address}</privateIpAddress><primary>true</primary></item></privateIpAddressesSet></item></networkInterfaceSet>` +
    `<blockDeviceMapping><item><deviceName>/dev/xvda</deviceName><ebs><volumeId>vol-${suffix}</volumeId><status>attached</status>${timestamp('attachTime', instance.launchedAt)}<deleteOnTermination>true</deleteOnTermination></ebs></item></blockDeviceMapping>`
  );
}

/** us-east-1 has a domain of its own, as in AWS. */
export function privateDnsName(address: string, region: string): string {
  const host = `ip-${address.replaceAll('.', '-')}`;
  return region === 'us-east-1' ? `${host}.ec2.internal` : `${host}.${region}.compute.internal`;
}

function publicDnsName(address: string, region: string): string {
  const host = `ec2-${address.replaceAll('.', '-')}`;
  return region === 'us-east-1' ? `${host}.compute-1.amazonaws.com` : `${host}.${region}.compute.amazonaws.com`;
}
