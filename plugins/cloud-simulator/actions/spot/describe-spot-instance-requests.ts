import type { Action, ActionCall } from '../../dispatch/action.ts';
import type { Instance } from '../../state/instances/instance.ts';
import { interfaceId } from '../../state/instances/part-tags.ts';
import type { OpenSpotRequest } from '../../state/instances/open-spot-requests.ts';
import { openSpotRequestOf, type SpotRequest, spotRequestOf } from '../../state/instances/spot-requests.ts';
import { tagSetXml } from '../../state/tags.ts';
import { type Filter, type FilterFields, passes, readFilters, withoutValue } from '../../wire/filters.ts';
import { texts } from '../../wire/form.ts';
import { pageRequest } from '../../wire/pages.ts';
import { itemSet, leaf, nextTokenXml, node, timestamp } from '../../wire/xml/xml.ts';
import { isSeen } from '../instances/instance-ids.ts';
import { spotRequestsById } from './spot-request-ids.ts';

const launch = (request: SpotRequest) => request.spec;
const iso = (at: number) => new Date(at).toISOString();

const fields: FilterFields<SpotRequest> = {
  ...withoutValue(
    'availability-zone-group',
    'fault-code',
    'fault-message',
    'launch-group',
    'launch.kernel-id',
    'launch.ramdisk-id',
    'network-interface.description',
  ),
  'create-time': (one) => iso(one.createdAt),
  'instance-id': (one) => one.instance?.id,
  'launch.block-device-mapping.delete-on-termination': (one) =>
    launch(one).volumes.map((volume) => String(volume.deleteOnTermination)),
  'launch.block-device-mapping.device-name': (one) => launch(one).volumes.map((volume) => volume.device),
  'launch.block-device-mapping.snapshot-id': (one) => launch(one).volumes.flatMap((volume) => volume.snapshot ?? []),
  'launch.block-device-mapping.volume-size': (one) => launch(one).volumes.map((volume) => String(volume.gib)),
  'launch.block-device-mapping.volume-type': (one) => launch(one).volumes.map((volume) => volume.kind),
  'launch.group-id': (one) => launch(one).network.groups.map((group) => group.id),
  'launch.group-name': (one) => launch(one).network.groups.map((group) => group.name),
  'launch.image-id': (one) => launch(one).imageId,
  'launch.instance-type': (one) => launch(one).type.instance_type,
  'launch.key-name': (one) => launch(one).keyName,
  'launch.monitoring-enabled': (one) => String(launch(one).options.monitored),
  'launched-availability-zone': (one) => one.instance?.zone,
  'launched-availability-zone-id': (one) => one.instance?.subnet.zoneId,
  'network-interface.addresses.primary': (one) => (one.instance === undefined ? undefined : 'true'),
  'network-interface.delete-on-termination': (one) => (one.instance === undefined ? undefined : 'true'),
  'network-interface.device-index': (one) => (one.instance === undefined ? undefined : '0'),
  'network-interface.group-id': (one) => launch(one).network.groups.map((group) => group.id),
  'network-interface.network-interface-id': (one) => one.instance && interfaceId(one.instance),
  'network-interface.private-ip-address': ({ instance: one }) => one?.subnet.address(one.address),
  'network-interface.subnet-id': (one) => one.instance?.subnet.id,
  'product-description': () => 'Linux/UNIX',
  'spot-instance-request-id': (one) => one.id,
  'spot-price': (one) => spelled(one.price),
  state: (one) => one.state,
  'status-code': (one) => one.status.code,
  'status-message': (one) => one.status.message,
  type: () => 'one-time',
  'valid-from': (one) => iso(one.validFrom),
  'valid-until': (one) => (one.validUntil === undefined ? undefined : iso(one.validUntil)),
};

/**
 * Shows the Spot requests of machines, in order of launch. Their status announces the interruption of a Spot machine.
 */
export const describeSpotInstanceRequests: Action = {
  name: 'DescribeSpotInstanceRequests',
  mutating: false,
  handle(call) {
    const page = pageRequest(call, { min: 5, max: 1000, notWith: 'SpotInstanceRequestId' });
    const filters = readFilters(call.params, fields, true);

    const found: SpotRequest[] = [];
    let more = false;
    for (const request of chosen(call, filters, page.after)) {
      if (!passes(request, filters, fields, (one) => one.tags)) continue;
      if (found.length === page.size) {
        more = true;
        break;
      }
      found.push(request);
    }
    return (
      itemSet('spotInstanceRequestSet', found, requestXml) +
      nextTokenXml(more ? page.token((found.at(-1) as SpotRequest).place) : undefined)
    );
  },
};

function* chosen(call: ActionCall, filters: readonly Filter[], after: number): Iterable<SpotRequest> {
  const ids = texts(call.params, 'SpotInstanceRequestId');
  if (ids.length > 0) return yield* spotRequestsById(call, ids);
  const way = filters.some((filter) => filter.name.startsWith('tag')) ? 'tag' : 'filter';
  const named = filters.find((filter) => filter.name === 'instance-id' && filter.exact)?.values;
  // Requests without a machine have places in the order of machines.
  const open = named === undefined ? [...call.state.openSpotRequests.values()].filter((one) => one.place > after) : [];
  let next = 0;
  for (const instance of machines(call, named, after)) {
    for (; next < open.length && (open[next] as OpenSpotRequest).place < instance.place; next++)
      yield openSpotRequestOf(call, open[next] as OpenSpotRequest);
    if (instance.spotRequestId === undefined || !isSeen(call, instance, way)) continue;
    yield spotRequestOf(call, instance) as SpotRequest;
  }
  for (const one of open.slice(next)) yield openSpotRequestOf(call, one);
}

function machines(call: ActionCall, named: readonly string[] | undefined, after: number): Iterable<Instance> {
  const { instances } = call.state;
  if (named === undefined) return instances.after(after);
  return [...new Set(named)]
    .flatMap((id) => instances.get(id) ?? [])
    .filter((instance) => instance.place > after)
    .toSorted((a, b) => a.place - b.place);
}

/** The members of a Spot request. */
export function requestXml(request: SpotRequest): string {
  const { instance, status } = request;
  return (
    leaf('spotInstanceRequestId', request.id) +
    leaf('spotPrice', spelled(request.price)) +
    '<type>one-time</type>' +
    leaf('state', request.state) +
    node(
      'status',
      leaf('code', status.code) + timestamp('updateTime', status.updatedAt) + leaf('message', status.message),
    ) +
    specificationXml(request) +
    leaf('instanceId', instance?.id) +
    timestamp('createTime', request.createdAt) +
    timestamp('validFrom', request.validFrom) +
    (request.validUntil === undefined ? '' : timestamp('validUntil', request.validUntil)) +
    '<productDescription>Linux/UNIX</productDescription><instanceInterruptionBehavior>terminate</instanceInterruptionBehavior>' +
    tagSetXml(request.tags) +
    leaf('launchedAvailabilityZone', instance?.zone)
  );
}

function specificationXml(request: SpotRequest): string {
  const spec = launch(request);
  const subnet = request.instance?.subnet ?? spec.network.subnet;
  return node(
    'launchSpecification',
    leaf('imageId', spec.imageId) +
      leaf('keyName', spec.keyName) +
      itemSet('groupSet', spec.network.groups, (group) => leaf('groupId', group.id) + leaf('groupName', group.name)) +
      leaf('instanceType', spec.type.instance_type) +
      node('placement', leaf('availabilityZone', subnet?.zone ?? spec.network.zone)) +
      (spec.profileArn === undefined ? '' : node('iamInstanceProfile', leaf('arn', spec.profileArn))) +
      leaf('subnetId', subnet?.id) +
      `<monitoring><enabled>${spec.options.monitored}</enabled></monitoring>`,
  );
}

/** A price as AWS writes it: with six decimals. */
function spelled(price: number): string {
  return price.toFixed(6);
}
