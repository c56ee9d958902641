import type { ActionCall } from '../../dispatch/action.ts';
import { templateById } from '../../launch/specification/template-data.ts';
import { stateOf, type Instance } from '../../state/instances/instance.ts';
import { machineOfPart, partsOf } from '../../state/instances/part-tags.ts';
import type { Tags } from '../../state/tags.ts';
import { AwsError } from '../../wire/errors.ts';
import { findFleet } from '../fleets/fleet-ids.ts';
import { instancesById, isVisible } from '../instances/instance-ids.ts';
import { machineOfRequest } from '../spot/spot-request-ids.ts';

/** A resource whose tags a caller can change. */
export interface TaggedResource {
  readonly tags: Tags;
  retag(tags: Tags): void;
}

/** The resource of an id; throws the error of its kind if there is none. */
export function taggedResource(call: ActionCall, id: string): TaggedResource {
  const { state } = call;
  if (id.startsWith('i-')) {
    const [instance] = instancesById(call, [id]) as [Instance];
    return { tags: instance.tags, retag: (tags) => state.instances.retag(instance, tags) };
  }
  if (id.startsWith('sir-')) {
    const open = state.openSpotRequests.get(id);
    if (open !== undefined) return { tags: open.tags, retag: (tags) => void (open.tags = tags) };
    return part(call, id, machineOfRequest(call, id));
  }
  if (id.startsWith('vol-') || id.startsWith('eni-')) return part(call, id, attached(call, id));
  const resource = id.startsWith('lt-') ? templateById(call, id) : findFleet(call, id);
  if (resource === undefined) throw new AwsError('InvalidID', `The ID '${id}' is not valid`);
  return { tags: resource.tags, retag: (tags) => void (resource.tags = tags) };
}

function part({ state }: ActionCall, id: string, instance: Instance): TaggedResource {
  const tags = partsOf(state, instance, true).find((one) => one.id === id)?.tags as Tags;
  return { tags, retag: (changed) => void state.partTags.set(id, changed) };
}

/** The machine of a volume or an interface. */
function attached(call: ActionCall, id: string): Instance {
  const instance = machineOfPart(call.state, id);
  if (instance !== undefined && isVisible(call, instance, 'id') && stateOf(instance, call.now) !== 'terminated')
    return instance;
  throw id.startsWith('vol-')
    ? new AwsError('InvalidVolume.NotFound', `The volume '${id}' does not exist.`)
    : new AwsError('InvalidNetworkInterfaceID.NotFound', `The networkInterface ID '${id}' does not exist`);
}
