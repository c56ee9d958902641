import type { Action, ActionCall } from '../../dispatch/action.ts';
import { type Instance, stateOf } from '../../state/instances/instance.ts';
import { interfaceTagsOf, machineOfPart } from '../../state/instances/part-tags.ts';
import { AwsError } from '../../wire/errors.ts';
import { type FilterFields, passes, readFilters } from '../../wire/filters.ts';
import { texts } from '../../wire/form.ts';
import { pageRequest } from '../../wire/pages.ts';
import { groupsXml } from '../../wire/xml/instance-xml.ts';
import { firstAttachmentXml, interfaceOf, interfaceXml, type NetworkInterface } from '../../wire/xml/interface-xml.ts';
import { itemSet, leaf, nextTokenXml } from '../../wire/xml/xml.ts';
import { isSeen } from '../instances/instance-ids.ts';
import { interfaceFields } from '../instances/interface-filters.ts';

// What DescribeInstances filters by, and this action does not.
const machinesOnly = new Set([
  'addresses.association.allocation-id',
  'addresses.association.association-id',
  'addresses.association.carrier-ip',
  'addresses.association.customer-owned-ip',
  'addresses.association.ip-owner-id',
  'addresses.association.public-dns-name',
  'addresses.private-dns-name',
  'attachment.network-card-index',
  'deny-all-igw-traffic',
  'ipv6-native',
  'public-dns-name',
  'tag-value',
]);

/** Shows the network interfaces of machines, in order of launch: one for each machine that is not terminated. */
export const describeNetworkInterfaces: Action = {
  name: 'DescribeNetworkInterfaces',
  mutating: false,
  handle(call) {
    const page = pageRequest(call, { min: 5, max: 1000, notWith: 'NetworkInterfaceId' });
    const fields: FilterFields<Instance> = Object.fromEntries(
      Object.entries(interfaceFields(call)).filter(([name]) => !machinesOnly.has(name)),
    );
    const filters = readFilters(call.params, fields, true);
    const found: Instance[] = [];
    let more = false;
    for (const instance of chosen(call, page.after)) {
      if (!passes(instance, filters, fields, (one) => interfaceTagsOf(call.state, one))) continue;
      if (found.length === page.size) {
        more = true;
        break;
      }
      found.push(instance);
    }
    return (
      itemSet('networkInterfaceSet', found, (instance) => rowXml(call, instance)) +
      nextTokenXml(more ? page.token((found.at(-1) as Instance).place) : undefined)
    );
  },
};

function* chosen(call: ActionCall, after: number): Iterable<Instance> {
  const ids = new Set(texts(call.params, 'NetworkInterfaceId'));
  for (const id of ids) {
    if (!/^eni-[0-9a-z]+$/.test(id))
      throw new AwsError('InvalidNetworkInterfaceId.Malformed', `Invalid id: "${id}" (expecting "eni-...")`);
    const instance = machineOfPart(call.state, id);
    if (instance === undefined || !hasInterface(call, instance))
      throw new AwsError('InvalidNetworkInterfaceID.NotFound', `The networkInterface ID '${id}' does not exist`);
    yield instance;
  }
  if (ids.size > 0) return;
  for (const instance of call.state.instances.after(after)) if (hasInterface(call, instance)) yield instance;
}

function hasInterface(call: ActionCall, instance: Instance): boolean {
  return stateOf(instance, call.now) !== 'terminated' && isSeen(call, instance, 'filter');
}

function rowXml({ state, now }: ActionCall, instance: Instance): string {
  const { account, region } = state;
  const at = interfaceOf(instance, region, now) as NetworkInterface;
  const machine = leaf('instanceId', instance.id) + leaf('instanceOwnerId', account);
  return (
    interfaceXml(instance, at, account, groupsXml(instance.reservation.spec.network.groups)) +
    firstAttachmentXml(instance, new Date(instance.launchedAt).toISOString(), machine) +
    leaf('availabilityZone', instance.zone) +
    leaf('requesterManaged', false) +
    itemSet('tagSet', interfaceTagsOf(state, instance), ([key, value]) => leaf('key', key) + leaf('value', value))
  );
}
