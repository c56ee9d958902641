import {
  type Instance,
  type StateName,
  reasonOf,
  wholeSecond,
  stateCodes,
  stateOf,
  userInitiated,
} from '../../state/instances/instance.ts';
import { tagSetXml } from '../../state/tags.ts';
import type { LaunchNetwork } from '../../launch/specification/launch-spec.ts';
import { furtherInterfacesXml } from './further-interfaces-xml.ts';
import { type NetworkInterface, type Owner, firstAttachmentXml, interfaceOf, interfaceXml } from './interface-xml.ts';
import { launchXml, placementXml, volumesXml } from './launch-xml.ts';
import { itemSet, leaf, node } from './xml.ts';

/** The members of one machine as DescribeInstances and RunInstances show it. */
export function instanceXml(instance: Instance, owner: Owner, now: number): string {
  const state = stateOf(instance, now);
  const { reservation } = instance;
  // A terminated machine has released its address and its network interface.
  const at = interfaceOf(instance, owner.region, now);
  const launched = isoTime(wholeSecond(instance.startedAt));
  // `join` instead of concatenation, which would leave garbage for every small piece of a page.
  return [
    `<instanceId>${instance.id}</instanceId>${stateXmls[state]}<amiLaunchIndex>${instance.launchIndex}</amiLaunchIndex><launchTime>${launched}</launchTime>`,
    placementXml(reservation.spec, instance.subnet),
    launchXml(reservation.spec),
    at !== undefined
      ? networkXml(instance, owner, at, isoTime(wholeSecond(instance.launchedAt)))
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

/** The states of machines before and after a call that ended, stopped or started them. */
export function stateChangesXml(
  changes: readonly { readonly id: string; readonly previous: StateName; readonly current: StateName }[],
): string {
  return itemSet(
    'instancesSet',
    changes,
    (one) =>
      leaf('instanceId', one.id) + stateXml('currentState', one.current) + stateXml('previousState', one.previous),
  );
}

function reasonXml(instance: Instance, now: number): string {
  const reason = reasonOf(instance, now);
  if (reason === undefined) return '<reason/>';
  return (
    node('stateReason', leaf('code', reason.code) + leaf('message', reason.message)) +
    leaf('reason', reasonText(instance, now))
  );
}

/** Why a machine ended or stopped, and when, in the words of EC2. */
export function reasonText(instance: Instance, now: number): string | undefined {
  const reason = reasonOf(instance, now);
  if (reason?.code !== userInitiated.code) return reason?.code;
  return `User initiated (${new Date(reason.at).toISOString().slice(0, 19).replace('T', ' ')} GMT)`;
}

function networkXml(instance: Instance, owner: Owner, at: NetworkInterface, launched: string): string {
  const { subnet } = instance;
  const { spec } = instance.reservation;
  const groups = groupsXml(spec.network.groups);
  const { publicAddress, publicDnsName: publicName } = at;
  return (
    `<privateDnsName>${at.privateDnsName}</privateDnsName>${publicAddress === undefined ? '<dnsName/>' : leaf('dnsName', publicName) + leaf('ipAddress', publicAddress)}` +
    `${leaf('privateIpAddress', at.addresses[0])}${leaf('ipv6Address', at.ipv6Address)}<subnetId>${subnet.id}</subnetId><vpcId>${subnet.vpcId}</vpcId><sourceDestCheck>${spec.options.sourceDestCheck}</sourceDestCheck>${groups}` +
    `<networkInterfaceSet><item>${interfaceXml(instance, at, owner.account, groups)}${firstAttachmentXml(instance, launched)}</item>${furtherInterfacesXml(instance, groups, launched)}</networkInterfaceSet>` +
    volumesXml(instance, launched)
  );
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

/** `<groupSet>` of a machine or of its interface. */
export function groupsXml(groups: Groups): string {
  const same = groups.length === lastGroups.length && groups.every((group, index) => group === lastGroups[index]);
  if (!same)
    lastGroupsXml = itemSet('groupSet', groups, (group) => leaf('groupId', group.id) + leaf('groupName', group.name));
  lastGroups = groups;
  return lastGroupsXml;
}
