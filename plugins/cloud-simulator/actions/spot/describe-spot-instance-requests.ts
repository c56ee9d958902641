import type { Action, ActionCall } from '../../dispatch/action.ts';
import type { Instance } from '../../state/instances/instance.ts';
import { type SpotRequest, spotRequestOf } from '../../state/instances/spot-requests.ts';
import { tagSetXml } from '../../state/tags.ts';
import { AwsError } from '../../wire/errors.ts';
import { type Filter, type FilterFields, passes, readFilters, withoutValue } from '../../wire/filters.ts';
import { texts } from '../../wire/form.ts';
import { pageRequest } from '../../wire/pages.ts';
import { itemSet, leaf, nextTokenXml, node, timestamp } from '../../wire/xml/xml.ts';
import { isSeen } from '../instances/instance-ids.ts';

const launch = (request: SpotRequest) => request.instance.reservation.spec;
const iso = (at: number) => new Date(at).toISOString();

const fields: FilterFields<SpotRequest> = {
  ...withoutValue(
    'availability-zone-group',
    'fault-code',
    'fault-message',
    'launch-group',
    'launch.block-device-mapping.delete-on-termination',
    'launch.block-device-mapping.device-name',
    'launch.block-device-mapping.snapshot-id',
    'launch.block-device-mapping.volume-size',
    'launch.block-device-mapping.volume-type',
    'launch.kernel-id',
    'launch.ramdisk-id',
    'network-interface.network-interface-id',
    'network-interface.private-ip-address',
    'valid-until',
  ),
  'create-time': (one) => iso(one.instance.launchedAt),
  'instance-id': (one) => one.instance.id,
  'launch.group-id': (one) => launch(one).network.groups.map((group) => group.id),
  'launch.group-name': (one) => launch(one).network.groups.map((group) => group.name),
  'launch.image-id': (one) => launch(one).imageId,
  'launch.instance-type': (one) => launch(one).type.instance_type,
  'launch.key-name': (one) => launch(one).keyName,
  'launch.monitoring-enabled': () => 'false',
  'launched-availability-zone': (one) => one.instance.zone,
  'network-interface.group-id': (one) => launch(one).network.groups.map((group) => group.id),
  'network-interface.subnet-id': (one) => one.instance.subnet.id,
  'product-description': () => 'Linux/UNIX',
  'spot-instance-request-id': (one) => one.id,
  'spot-price': (one) => spelled(one.price),
  state: (one) => one.state,
  'status-code': (one) => one.status.code,
  'status-message': (one) => one.status.message,
  type: () => 'one-time',
  'valid-from': (one) => iso(one.instance.launchedAt),
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
    for (const instance of chosen(call, filters, page.after)) {
      const request = spotRequestOf(call, instance);
      if (request === undefined || !passes(request, filters, fields, (one) => launch(one).requestTags)) continue;
      if (found.length === page.size) {
        more = true;
        break;
      }
      found.push(request);
    }
    return (
      itemSet('spotInstanceRequestSet', found, requestXml) +
      nextTokenXml(more ? page.token((found.at(-1) as SpotRequest).instance.place) : undefined)
    );
  },
};

function* chosen(call: ActionCall, filters: readonly Filter[], after: number): Iterable<Instance> {
  const ids = texts(call.params, 'SpotInstanceRequestId');
  if (ids.length > 0) return yield* byIds(call, ids);
  const way = filters.some((filter) => filter.name.startsWith('tag')) ? 'tag' : 'filter';
  const named = filters.find((filter) => filter.name === 'instance-id' && filter.exact)?.values;
  const machines =
    named === undefined
      ? call.state.instances.after(after)
      : [...new Set(named)]
          .flatMap((id) => call.state.instances.get(id) ?? [])
          .filter((instance) => instance.place > after)
          .toSorted((a, b) => a.place - b.place);
  for (const instance of machines)
    if (instance.spotRequestId !== undefined && isSeen(call, instance, way)) yield instance;
}

/** The machines of the named requests. One malformed, unknown or not yet visible id refuses the whole call. */
function byIds(call: ActionCall, ids: readonly string[]): Instance[] {
  const malformed = ids.find((id) => !/^sir-[0-9a-z]{8}$/.test(id));
  if (malformed !== undefined)
    throw new AwsError(
      'InvalidSpotInstanceRequestID.Malformed',
      `The Spot Instance request ID '${malformed}' is malformed`,
    );
  const wanted = new Set(ids);
  const found: Instance[] = [];
  for (const instance of call.state.instances) {
    if (instance.spotRequestId === undefined || !wanted.has(instance.spotRequestId)) continue;
    if (isSeen(call, instance, 'id')) found.push(instance);
  }
  const seen = new Set(found.map((instance) => instance.spotRequestId));
  const missing = [...wanted].filter((id) => !seen.has(id));
  if (missing.length > 0) {
    throw new AwsError(
      'InvalidSpotInstanceRequestID.NotFound',
      missing.length === 1
        ? `The spot instance request ID '${missing[0]}' does not exist`
        : `The spot instance request IDs '${missing.join(', ')}' do not exist`,
    );
  }
  return found;
}

function requestXml(request: SpotRequest): string {
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
    leaf('instanceId', instance.id) +
    timestamp('createTime', instance.launchedAt) +
    timestamp('validFrom', instance.launchedAt) +
    '<productDescription>Linux/UNIX</productDescription><instanceInterruptionBehavior>terminate</instanceInterruptionBehavior>' +
    tagSetXml(launch(request).requestTags) +
    leaf('launchedAvailabilityZone', instance.zone)
  );
}

function specificationXml(request: SpotRequest): string {
  const { instance } = request;
  const spec = launch(request);
  return node(
    'launchSpecification',
    leaf('imageId', spec.imageId) +
      leaf('keyName', spec.keyName) +
      itemSet('groupSet', spec.network.groups, (group) => leaf('groupId', group.id) + leaf('groupName', group.name)) +
      leaf('instanceType', spec.type.instance_type) +
      node('placement', leaf('availabilityZone', instance.zone)) +
      (spec.profileArn === undefined ? '' : node('iamInstanceProfile', leaf('arn', spec.profileArn))) +
      leaf('subnetId', instance.subnet.id) +
      '<monitoring><enabled>false</enabled></monitoring>',
  );
}

/** A price as AWS writes it: with six decimals. */
function spelled(price: number): string {
  return price.toFixed(6);
}
