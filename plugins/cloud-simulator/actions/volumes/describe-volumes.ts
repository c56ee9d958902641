import type { Action, ActionCall } from '../../dispatch/action.ts';
import { snapshotOf } from '../../launch/specification/image-ids.ts';
import { type LaunchVolume, rootDevice } from '../../launch/specification/launch-volumes.ts';
import { type Instance, stateOf, volumeId } from '../../state/instances/instance.ts';
import { machineOfPart, volumeTagsOf } from '../../state/instances/part-tags.ts';
import type { Tags } from '../../state/tags.ts';
import { AwsError } from '../../wire/errors.ts';
import { type FilterFields, passes, readFilters, withoutValue } from '../../wire/filters.ts';
import { texts } from '../../wire/form.ts';
import { pageOf, pageRequest } from '../../wire/pages.ts';
import { itemSet, leaf, nextTokenXml, node, timestamp } from '../../wire/xml/xml.ts';
import { isSeen } from '../instances/instance-ids.ts';

/** A volume of a machine. Everything follows from the machine. */
interface Volume extends LaunchVolume {
  readonly id: string;
  readonly instance: Instance;
  /** Whether the machine still has it. A volume that survives its machine is `available`. */
  readonly attached: boolean;
  readonly tags: Tags;
}

const iso = (at: number) => new Date(at).toISOString();
const whileAttached = (value: (volume: Volume) => string) => (volume: Volume) =>
  volume.attached ? value(volume) : undefined;

const fields: FilterFields<Volume> = {
  ...withoutValue(
    'fast-restored',
    'operator.principal',
    'outpost-arn',
    'source-volume-id',
    'volume-initialization-rate',
  ),
  'attachment.attach-time': whileAttached(({ instance }) => iso(instance.launchedAt)),
  'attachment.delete-on-termination': whileAttached((volume) => String(volume.deleteOnTermination)),
  'attachment.device': whileAttached((volume) => volume.device),
  'attachment.instance-id': whileAttached(({ instance }) => instance.id),
  'attachment.status': whileAttached(() => 'attached'),
  'availability-zone': ({ instance }) => instance.zone,
  'availability-zone-id': ({ instance }) => instance.subnet.zoneId,
  'create-time': ({ instance }) => iso(instance.launchedAt),
  encrypted: (volume) => String(volume.encrypted),
  'multi-attach-enabled': () => 'false',
  'operator.managed': () => 'false',
  size: (volume) => String(volume.gib),
  'snapshot-id': snapshotIdOf,
  status: (volume) => (volume.attached ? 'in-use' : 'available'),
  'volume-id': (volume) => volume.id,
  'volume-type': (volume) => volume.kind,
};

/**
 * Shows the volumes of machines, in order of launch. A volume without DeleteOnTermination survives its machine, as
 * long as the terminated machine is shown.
 */
export const describeVolumes: Action = {
  name: 'DescribeVolumes',
  mutating: false,
  handle(call) {
    const page = pageRequest(call, { min: 5, max: 1000, notWith: 'VolumeId' });
    const filters = readFilters(call.params, fields, true);
    const ids = [...new Set(texts(call.params, 'VolumeId'))];
    const volumes = ids.length > 0 ? ids.map((id) => volumeById(call, id)) : allVolumes(call);
    const { entries, next } = pageOf(
      volumes.filter((volume) => passes(volume, filters, fields, ({ tags }) => tags)),
      page,
    );
    return itemSet('volumeSet', entries, volumeXml) + nextTokenXml(next);
  },
};

function allVolumes(call: ActionCall): Volume[] {
  const volumes: Volume[] = [];
  for (const instance of call.state.instances)
    if (isSeen(call, instance, 'filter')) volumes.push(...volumesOf(call, instance));
  return volumes;
}

function volumesOf(call: ActionCall, instance: Instance): Volume[] {
  const attached = stateOf(instance, call.now) !== 'terminated';
  return instance.reservation.spec.volumes.flatMap((volume, index) =>
    attached || !volume.deleteOnTermination
      ? [
          {
            ...volume,
            id: volumeId(instance, index),
            instance,
            attached,
            tags: volumeTagsOf(call.state, instance, index),
          },
        ]
      : [],
  );
}

function volumeById(call: ActionCall, id: string): Volume {
  if (!/^vol-[0-9a-f]+$/.test(id))
    throw new AwsError(
      'InvalidParameterValue',
      `Value (${id}) for parameter volumes is invalid. Expected: 'vol-...'.`,
    );
  const instance = machineOfPart(call.state, id);
  const found =
    instance === undefined || !isSeen(call, instance, 'id')
      ? undefined
      : volumesOf(call, instance).find((volume) => volume.id === id);
  if (found === undefined) throw new AwsError('InvalidVolume.NotFound', `The volume '${id}' does not exist.`);
  return found;
}

function snapshotIdOf({ snapshot, device, instance }: Volume): string {
  return snapshot ?? (device === rootDevice ? snapshotOf(instance.reservation.spec.imageId) : '');
}

function volumeXml(volume: Volume): string {
  const { instance } = volume;
  const attachment =
    leaf('volumeId', volume.id) +
    leaf('instanceId', instance.id) +
    leaf('device', volume.device) +
    leaf('status', 'attached') +
    timestamp('attachTime', instance.launchedAt) +
    leaf('deleteOnTermination', volume.deleteOnTermination);
  return (
    leaf('volumeId', volume.id) +
    leaf('size', volume.gib) +
    leaf('snapshotId', snapshotIdOf(volume)) +
    leaf('availabilityZone', instance.zone) +
    leaf('availabilityZoneId', instance.subnet.zoneId) +
    leaf('status', volume.attached ? 'in-use' : 'available') +
    timestamp('createTime', instance.launchedAt) +
    node('attachmentSet', volume.attached ? node('item', attachment) : '') +
    itemSet('tagSet', volume.tags, ([key, value]) => leaf('key', key) + leaf('value', value)) +
    leaf('volumeType', volume.kind) +
    leaf('iops', volume.iops) +
    leaf('throughput', volume.throughput) +
    leaf('encrypted', volume.encrypted) +
    leaf('kmsKeyId', volume.kmsKeyId) +
    leaf('multiAttachEnabled', false)
  );
}
